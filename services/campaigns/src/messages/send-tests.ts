import { ApiError, invalid } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outcome } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { FindMailable } from '../audience/contactables/mailable-contacts.ts';
import type { MessageContent } from '../content/message-content.ts';
import type { RequireValidTemplates } from '../content/templates/require-valid-templates.ts';
import type { RequireSender } from '../delivery/senders/require-sender.ts';
import { messageSources } from '../ledger/recipients/message-category.ts';
import { newRecipient, noContact } from '../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { ContentsStore } from './contents-store.ts';
import { Message, messageOfRow } from './message.ts';
import { email } from './message-body.ts';

type Deps = {
  recipients: RecipientsStore;
  contents: ContentsStore;
  requireValidTemplates: RequireValidTemplates;
  findMailable: FindMailable;
  requireSender: RequireSender;
  wake: () => void;
};

const maxAddresses = 5;

/** The maximum number of tests per account and hour. */
export const maxTestsPerHour = 50;
const hourMs = 3_600_000;

/** Who gets a test, and as whom. */
export const testFields = {
  to: z
    .array(email)
    .min(1)
    .max(maxAddresses)
    .transform((emails) => [...new Set(emails)])
    .describe('The addresses to send the test to, at most five.'),
  contact_id: contactId.optional().describe('The contact whose fields the email is rendered with; empty fields if omitted.'),
};

export const testsText =
  'with `[Test]` before the subject. Its links work. It is not counted: not in the ledger and analytics of a campaign, and not in the timeline ' +
  `of the contact. Suppressed addresses get no test. An account can send ${maxTestsPerHour} tests per hour.`;

export const Tests = z.object({ messages: z.array(Message).describe('One message for each address.') }).meta({ id: 'CampaignTests' });

/** The response: the location is that of the first message. */
export const testsAccepted = (data: z.output<typeof Tests>): Outcome => ({
  status: 202,
  data,
  location: `/v2/campaigns/messages/${data.messages[0]?.id}`,
});

type Test = { to: readonly string[]; contact_id?: ContactId | undefined };

export type SendTests = ReturnType<typeof createSendTests>;

/** Sends tests of an email: rows of the ledger that nothing counts. */
export function createSendTests({ recipients, contents, requireValidTemplates, findMailable, requireSender, wake }: Deps) {
  /** Throws RATE_LIMITED if these tests would be more than an hour allows. */
  async function requireRate(accountId: AccountId, count: number) {
    const at = (await recipients.testBefore(accountId, maxTestsPerHour - count + 1))?.getTime() ?? 0;
    const waitMs = at + hourMs - Date.now();
    if (waitMs <= 0) return;
    throw new ApiError('RATE_LIMITED', `An account can send ${maxTestsPerHour} test emails per hour; retry later.`, {
      retryAfter: Math.ceil(waitMs / 1_000),
    });
  }

  return {
    /** Throws if the email cannot be sent, the contact does not exist, or the account has sent too many tests. */
    async require(accountId: AccountId, content: MessageContent, { to, contact_id = noContact }: Test) {
      await requireValidTemplates(accountId, content);
      await requireSender(accountId, content.from.email);
      if (contact_id !== noContact && !(await findMailable(accountId, [contact_id], { keep: false })).get(contact_id)?.contact)
        throw invalid('/contact_id', 'unknown_contact', 'No contact has this ID.');
      await requireRate(accountId, to.length);
    },

    /** `name`: that of the campaign. */
    async send(
      tx: Transaction,
      accountId: AccountId,
      { content, name, to, contact_id = noContact }: Test & { content: MessageContent; name: string },
    ) {
      const content_id = await contents.keep(tx, accountId, content, { test_of: name });
      const source = { account_id: accountId, source: 'message' as const, source_id: messageSources.tests, source_key: '' };
      const rows = to.map((address) => {
        const row = newRecipient({ ...source, contact_id, content_id, category: 'test', to: address }, false, new Date());
        return { ...row, source_key: row._id };
      });
      await recipients.insert(tx, rows);
      tx.afterCommit(wake);
      return { messages: rows.map(messageOfRow) };
    },
  };
}
