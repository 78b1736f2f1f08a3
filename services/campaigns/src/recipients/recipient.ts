import { z } from 'zod';
import { skipReasons } from '../contactables/contactable.ts';

export const recipientStates = [
  'queued',
  'sending',
  'deferred',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'skipped',
  'failed',
  'unknown',
] as const;
export type RecipientState = (typeof recipientStates)[number];

/** The states from which a message can still leave by itself. */
export const pendingStates = ['queued', 'deferred', 'sending'] as const satisfies RecipientState[];

/** One row of the ledger: one person of one campaign. */
export const Recipient = z
  .object({
    id: z.string(),
    campaign_id: z.string().nullable(),
    contact_id: z.string(),
    state: z
      .enum(recipientStates)
      .describe(
        '`sent`: accepted by the mail server; `delivered`: known to have arrived, because it was opened or a link in it was followed',
      ),
    reason: z
      .string()
      .nullable()
      .describe(`why it is skipped (${skipReasons.join(', ')}), failed, bounced, deferred or unknown`),
    detail: z.string().nullable().describe("the mail server's own words, or the template's fault"),
    address: z.string().nullable().describe('where it was sent to'),
    attempts: z.number().int().describe('how often it was handed to the mail server'),
    next_at: z.iso.datetime().nullable().describe('when it is tried again'),
    message_id: z.string().nullable(),
    sent_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Recipient' });
export type Recipient = z.infer<typeof Recipient>;

/** How many rows are in each state. */
export const StateCounts = z.record(z.enum(recipientStates), z.number().int());
export type StateCounts = z.infer<typeof StateCounts>;

/** In plain words why somebody got the message or did not. */
export function explain({ state, reason, detail }: Pick<Recipient, 'state' | 'reason' | 'detail'>): string {
  const said = detail ? ` The mail server said: ${detail}` : '';
  switch (state) {
    case 'queued':
      return 'Waits to be sent; consent is checked again at that moment.';
    case 'sending':
      return 'Is being handed to the mail server.';
    case 'deferred':
      return `The mail server refused it for now; it is tried again at next_at.${said}`;
    case 'sent':
      return `The mail server accepted it; nothing says yet whether it arrived.${said}`;
    case 'delivered':
      return 'It arrived: it was opened, or a link in it was followed.';
    case 'bounced':
      return `The address is not deliverable.${said}`;
    case 'complained':
      return 'The receiver reported it as spam.';
    case 'failed':
      return `The mail server refused it for good.${said}`;
    case 'unknown':
      return `It is unknown whether the mail server accepted it (${reason ?? 'unknown'}). An open or a click settles it; POST …/resolve-unknown decides.`;
    case 'skipped':
      return skipped[reason ?? ''] ?? `It was not sent: ${reason}.`;
  }
}

const skipped: Record<string, string> = {
  no_address: 'The contact had no e-mail address.',
  unsubscribed: 'The contact had unsubscribed from e-mail.',
  pending_opt_in: 'The contact had not (yet) agreed to e-mail.',
  suppressed: 'The contact was suppressed.',
  bounced_before: 'An earlier message to this address bounced for good.',
  excluded: 'The contact was in a segment that the audience excludes.',
  deleted: 'The contact had been deleted.',
  template_error: 'The template could not be rendered for this contact; detail says why.',
  cancelled: 'The campaign was cancelled before its turn.',
};
