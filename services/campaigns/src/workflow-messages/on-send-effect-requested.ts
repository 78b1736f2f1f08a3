import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { on } from '@mp/service-kit/consume';
import type { Outbox } from '@mp/service-kit/outbox';
import { newRecipient } from '../recipients/recipient-row.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import type { ContentsStore } from '../templates/contents-store.ts';
import { MessageContent } from '../templates/message-content.ts';

type Deps = { recipients: RecipientsStore; contents: ContentsStore; outbox: Outbox; wake: () => void };

/**
 * Queues the email that a workflow step requests, once per effect key. It passes the same ledger, consent check and sender
 * as a campaign's emails. The sender publishes its result.
 */
export const onSendEffectRequested = ({ recipients, contents, outbox, wake }: Deps) =>
  on(SendEffectRequested, async (tx, { account_id, data }) => {
    const { effect_key, run_id, workflow_id, contact_id, message, delivered_at } = data;
    const content = MessageContent.safeParse(message);
    if ((await recipients.existing(account_id, { source: 'workflow', key: effect_key, contactIds: [contact_id], tx })).size > 0) {
      if (!content.success) return;
      return recipients.keepContent(tx, account_id, {
        effectKey: effect_key,
        contactId: contact_id,
        contentId: await contents.keep(tx, account_id, content.data),
      });
    }
    if (!content.success) {
      const reason = content.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
      return outbox.add(tx, CampaignEffectCompleted, account_id, { effect_key, run_id, status: 'refused', reason, recipient_id: null });
    }
    const { due_at, ...row } = newRecipient(
      {
        account_id,
        source: 'workflow',
        source_id: workflow_id,
        source_key: effect_key,
        contact_id,
        content_id: await contents.keep(tx, account_id, content.data),
        run_id,
        ...(data.data && { data: data.data }),
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
