import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import type { AccountId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { z } from 'zod';
import { MessageContent } from '../content/message-content.ts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { FindFault } from '../delivery/senders/require-sender.ts';
import { newRecipient, type RecipientDocument } from '../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { ContentsStore } from './contents-store.ts';

type Deps = {
  recipients: RecipientsStore;
  contents: ContentsStore;
  templates: Pick<TemplatesStore, 'findOne' | 'findVersion'>;
  findRefusedSender: FindFault;
  outbox: Outbox;
  wake: () => void;
};

type Message = z.output<typeof SendEffectRequested.data>['message'];

/** The content of an email with its template, or why it has none. */
type Resolved =
  | { content: MessageContent; template?: NonNullable<RecipientDocument['template']> }
  | { content?: undefined; reason: string; detail?: string };

/**
 * Queues the email that a workflow step requests, once per effect key. It passes the same ledger, consent check and sender
 * as a campaign's emails. The sender publishes its result.
 */
export const onSendEffectRequested = ({ recipients, contents, templates, findRefusedSender, outbox, wake }: Deps) =>
  on(SendEffectRequested, async (tx, { account_id, data }) => {
    const { effect_key, run_id, workflow_id, step_id, contact_id, message, category, delivered_at } = data;
    const resolved = await resolve(templates, tx, account_id, message);
    if ((await recipients.existing(account_id, { source: 'workflow', key: effect_key, contactIds: [contact_id], tx })).size > 0) {
      if (!resolved.content) return;
      return recipients.keepContent(tx, account_id, {
        effectKey: effect_key,
        contactId: contact_id,
        contentId: await contents.keep(tx, account_id, resolved.content, { source: 'workflow' }),
      });
    }
    const refuse = (why: { reason: string; detail?: string }) =>
      outbox.add(tx, CampaignEffectCompleted, account_id, { effect_key, run_id, status: 'refused', recipient_id: null, ...why });
    if (!resolved.content) return refuse(resolved);
    const { content, template } = resolved;
    // An email that was sent before a restore is only recorded.
    const refusedSender = delivered_at === undefined ? await findRefusedSender(account_id, content.from.email) : undefined;
    if (refusedSender !== undefined) return refuse({ reason: 'unverified_domain', detail: refusedSender });
    const { due_at, ...row } = newRecipient(
      {
        account_id,
        source: 'workflow',
        source_id: workflow_id,
        source_key: effect_key,
        contact_id,
        content_id: await contents.keep(tx, account_id, content, { source: 'workflow' }),
        run_id,
        ...(step_id !== undefined && { step: step_id, ...(data.variant !== undefined && { step_variant: data.variant }) }),
        ...(template && { template }),
        ...(category === 'transactional' && { category }),
        ...((data.data || data.responses) && { run_values: JSON.stringify({ data: data.data, responses: data.responses }) }),
      },
      false,
      new Date(),
    );
    if (delivered_at !== undefined) {
      await recipients.insert(tx, [{ ...row, state: 'sent', sent_at: new Date(delivered_at), tally_changed: true }]);
      const completed = { effect_key, run_id, status: 'done' as const, reason: null, recipient_id: row._id };
      return outbox.add(tx, CampaignEffectCompleted, account_id, completed);
    }
    await recipients.insert(tx, [{ ...row, ...(due_at && { due_at }) }]);
    tx.afterCommit(wake);
  });

/** The content of a message: its own, or that of its template, in the version that was approved or the current one. */
async function resolve(templates: Deps['templates'], tx: Transaction, accountId: AccountId, message: Message): Promise<Resolved> {
  const { template_id: id, template_version } = message;
  if (id === undefined) return checked(message);
  const template =
    template_version === undefined
      ? await templates.findOne(accountId, id, tx)
      : await templates.findVersion(accountId, id, template_version, tx);
  if (!template) return { reason: 'template_error', detail: 'The template no longer exists.' };
  const { version, html, text } = template;
  const subject = message.subject ?? template.subject;
  if (!subject) return { reason: 'template_error', detail: 'Neither the step nor its template has a subject.' };
  const preview_text = message.preview_text ?? template.preview_text;
  const resolved = checked({ ...message, subject, preview_text, html, text });
  return resolved.content ? { ...resolved, template: { id, version } } : resolved;
}

function checked(message: unknown): Resolved {
  const { data: content, error } = MessageContent.safeParse(message);
  if (content) return { content };
  return { reason: error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') };
}
