import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { staysBehind } from '../../libs/cli/src/move-in/account/plan-account.ts';
import { kinds } from '../../libs/cli/src/move-out/kinds.ts';

const Document = z.object({ paths: z.record(z.string(), z.object({ get: z.unknown().optional() })) });
const document = Document.parse(JSON.parse(readFileSync(new URL('../../services/gateway/config/openapi.json', import.meta.url), 'utf8')));

/** Lists that an export reads by themselves. */
const read = ['/v2/campaigns/images', '/v2/contacts', '/v2/contacts/suppressions', '/v2/leadpulse/events', '/v2/segments/{id}/contacts'];

/** Lists that follow from others. */
const derived = ['/v2/contacts/attributes', '/v2/contacts/{id}/segments', '/v2/leadpulse/visitors', '/v2/leadpulse/visitors/{id}/sessions'];

/** Lists that stay behind, by the words of the report that name them. */
const named: Record<string, readonly string[]> = {
  'keys, passwords and secrets': [
    ...['/v2/settings/api-keys', '/v2/settings/oauth-clients', '/v2/settings/identity-providers', '/v2/campaigns/providers'],
  ],
  'users with their roles, sending domains and senders': [
    '/v2/settings/users',
    '/v2/settings/roles',
    '/v2/settings/domains',
    '/v2/campaigns/senders',
  ],
  comments: ['/v2/comments', '/v2/comments/mentions'],
  'report emails': ['/v2/report-emails'],
  'sent emails': ['/v2/campaigns/messages', '/v2/campaigns/messages/ledger', '/v2/campaigns/{id}/ledger'],
  'runs of workflows': ['/v2/workflows/{id}/runs'],
  timelines: ['/v2/contacts/{id}/timeline'],
  'consent changes': ['/v2/contacts/{id}/consent/log'],
  'versions:': ['campaigns/templates', 'contacts/forms', 'segments', 'workflows'].map((of) => `/v2/${of}/{id}/versions`),
  'imports, exports and bulk jobs': ['/v2/contacts/imports', '/v2/contacts/exports', '/v2/contacts/bulk'],
  'merges, changes of segments': ['/v2/contacts/{id}/merges', '/v2/segments/{id}/changes'],
  'deliveries of webhooks': ['/v2/webhooks/{id}/deliveries'],
  'Segment calls, the audit log and usage': ['/v2/leadpulse/segment-calls', '/v2/settings/audit-log', '/v2/settings/usage/history'],
};

test('every list of the API is in an export, or the import names it among what stays behind', () => {
  const lists = Object.entries(document.paths).flatMap(([path, { get }]) =>
    /"name":"cursor"/.test(JSON.stringify(get) ?? '') ? [path] : [],
  );
  assert.ok(lists.length > 40, `${lists.length} lists`);
  const covered = new Set([...kinds.map(({ path }) => path), ...read, ...derived, ...Object.values(named).flat()]);
  assert.deepEqual(
    lists.filter((path) => !covered.has(path)),
    [],
  );
  const text = staysBehind.join('\n');
  assert.deepEqual(
    Object.keys(named).filter((words) => !text.includes(words)),
    [],
  );
});
