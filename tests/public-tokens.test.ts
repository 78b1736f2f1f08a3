import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId } from '@mp/ids';
import * as emailLink from '../services/campaigns/src/content/links/link-token.ts';
import * as providerWebhook from '../services/campaigns/src/delivery/providers/webhook-token.ts';
import * as returnPath from '../services/campaigns/src/delivery/reports/return-path.ts';
import * as confirmation from '../services/contacts/src/forms/link-token.ts';
import { createStopLinks } from '../services/gateway/src/settings/report-emails/stop-links.ts';
import * as hook from '../services/workflows/src/hooks/hook-token.ts';

const root = new URL('../', import.meta.url).pathname;
const keys = parseKeyring(`test:${Buffer.alloc(32, 7).toString('base64url')}`);
const stopLinks = createStopLinks(keys, 'https://mp.example.com');

/** What makes each signed token of a public URL or address, and the account that is read from it, with the keyring alone. */
const accountIn: Record<string, (accountId: AccountId) => AccountId | undefined> = {
  'services/campaigns/src/content/links/link-token.ts': (accountId) => {
    const link = { purpose: 'open', accountId, recipientId: newId('recipient'), number: 0 } as const;
    return emailLink.readLink(keys, emailLink.signLink(keys, link))?.accountId;
  },
  'services/campaigns/src/delivery/providers/webhook-token.ts': (accountId) =>
    providerWebhook.readWebhook(keys, providerWebhook.signWebhook(keys, accountId, newId('provider')))?.accountId,
  'services/campaigns/src/delivery/reports/return-path.ts': (accountId) => {
    const email = { accountId, recipientId: newId('recipient') };
    return returnPath.readReturnPath(keys, returnPath.signReturnPath(keys, email, 'bounces.example.com'))?.accountId;
  },
  'services/contacts/src/forms/link-token.ts': (accountId) => {
    const now = new Date();
    return confirmation.readLink(keys, confirmation.signLink(keys, { accountId, optInId: newId('optIn') }, now), now)?.accountId;
  },
  'services/gateway/src/settings/report-emails/stop-links.ts': (account_id) => {
    const url = stopLinks.urlOf({ account_id, report_id: 'report_1', user_id: newId('user') });
    return stopLinks.receiverOf(url.slice(url.indexOf('=') + 1))?.account_id;
  },
  'services/workflows/src/hooks/hook-token.ts': (accountId) =>
    hook.readHook(keys, hook.signHook(keys, { accountId, workflowId: newId('workflow'), generation: 1 }))?.accountId,
};

test('a signed token names its account, so that a gateway above several cells finds the cell (docs/decisions/0373)', () => {
  const accountId = newId('account');
  for (const [file, read] of Object.entries(accountIn)) assert.equal(read(accountId), accountId, file);
});

/** The stamp of a form's page goes with the ID of the form, which the directory of forms finds. */
const ofForms = 'services/contacts/src/forms/page-stamp.ts';

test('every file that signs a token is in the list above', () => {
  const signs = /import \{[^}]*\bsign\b[^}]*\} from '@mp\/contracts\/keyring'/;
  const signers = globSync('services/*/src/**/*.ts', { cwd: root }).filter((file) => signs.test(readFileSync(`${root}${file}`, 'utf8')));
  assert.ok(signers.length > 3);
  assert.deepEqual(
    signers.filter((file) => !Object.hasOwn(accountIn, file) && file !== ofForms),
    [],
  );
});
