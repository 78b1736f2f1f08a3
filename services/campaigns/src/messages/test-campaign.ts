import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { campaignId, contactId } from '@mp/contracts/ids';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { variantField, variantOf } from '../ab-tests/variant-field.ts';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import type { FindMailable } from '../contactables/mailable-contacts.ts';
import { newRecipient, noContact } from '../recipients/recipient-row.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import type { RequireSender } from '../senders/require-sender.ts';
import type { ContentsStore } from '../templates/contents-store.ts';
import { MessageContent } from '../templates/message-content.ts';
import type { RequireValidTemplates } from '../templates/require-valid-templates.ts';
import type { WithTemplate } from '../templates/with-template.ts';
import { Message, messageOfRow } from './message.ts';
import { email } from './message-body.ts';
import { messageSources } from './message-category.ts';

type Deps = {
  campaigns: CampaignsStore;
  recipients: RecipientsStore;
  contents: ContentsStore;
  withTemplate: WithTemplate;
  requireValidTemplates: RequireValidTemplates;
  findMailable: FindMailable;
  requireSender: RequireSender;
  transact: Transact;
  wake: () => void;
};

const maxAddresses = 5;

/** The maximum number of tests per account and hour. */
const maxPerHour = 50;
const hourMs = 3_600_000;

const Body = z.strictObject({
  to: z
    .array(email)
    .min(1)
    .max(maxAddresses)
    .transform((emails) => [...new Set(emails)])
    .describe('The addresses to send the test to, at most five.'),
  variant: variantField,
  contact_id: contactId.optional().describe('The contact whose fields the email is rendered with; empty fields if omitted.'),
});

const Tests = z.object({ messages: z.array(Message).describe('One message for each address.') }).meta({ id: 'CampaignTests' });

export function testCampaign(app: Server, deps: Deps) {
  const { campaigns, recipients, contents, withTemplate, requireValidTemplates, findMailable, requireSender, transact, wake } = deps;

  /** Throws RATE_LIMITED if these tests would be more than an hour allows. */
  async function requireRate(accountId: AccountId, count: number) {
    const at = (await recipients.testBefore(accountId, maxPerHour - count + 1))?.getTime() ?? 0;
    const waitMs = at + hourMs - Date.now();
    if (waitMs <= 0) return;
    throw new ApiError('RATE_LIMITED', `An account can send ${maxPerHour} test emails per hour; retry later.`, {
      retryAfter: Math.ceil(waitMs / 1_000),
    });
  }

  app.post(
    '/v2/campaigns/:id/test',
    {
      config: { scope: 'campaigns:send' },
      schema: {
        operationId: 'testCampaign',
        summary: 'Send a test of a campaign',
        description:
          'Sends the email to these addresses, with `[Test]` before the subject. Its links work. Nothing counts it: not the ledger and analytics ' +
          `of the campaign, and not the timeline of the contact. Suppressed addresses get no test. An account can send ${maxPerHour} tests per hour.`,
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        querystring: noQuery,
        body: Body,
        response: { 202: success(Tests) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { to, contact_id = noContact, variant } = request.body;
      const read = async (tx?: Transaction) =>
        variantOf(await withTemplate(accountId, await campaigns.get(accountId, request.params.id, tx)), variant);
      return transact(
        request,
        reply,
        async (tx) => {
          const campaign = await read(tx);
          const content_id = await contents.keep(tx, accountId, MessageContent.parse(campaign), { test_of: campaign.name });
          const source = { account_id: accountId, source: 'message' as const, source_id: messageSources.tests, source_key: '' };
          const rows = to.map((address) => {
            const row = newRecipient({ ...source, contact_id, content_id, category: 'test', to: address }, false, new Date());
            return { ...row, source_key: row._id };
          });
          await recipients.insert(tx, rows);
          tx.afterCommit(wake);
          return { status: 202, data: { messages: rows.map(messageOfRow) } };
        },
        {
          before: async () => {
            const campaign = await read();
            await requireValidTemplates(accountId, campaign);
            await requireSender(accountId, campaign.from.email);
            if (contact_id !== noContact && !(await findMailable(accountId, [contact_id], { keep: false })).get(contact_id)?.contact)
              throw invalid('/contact_id', 'unknown_contact', 'No contact has this ID.');
            await requireRate(accountId, to.length);
          },
        },
      );
    },
  );
}
