import { CampaignsContactErased } from '@mp/contracts/events/campaigns';
import { createConfirmErasures } from '@mp/erasures/confirm-erasures';
import type { ErasuresStore, RequestedErasure } from '@mp/erasures/erasures-store';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { EngagementsStore } from '../../ledger/engagements/engagements-store.ts';
import type { RecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import type { AttachmentsStore } from '../../messages/attachments-store.ts';
import type { ContentsStore } from '../../messages/contents-store.ts';

type Deps = {
  mongo: Mongo;
  recipients: RecipientsStore;
  engagements: EngagementsStore;
  attachments: AttachmentsStore;
  contents: ContentsStore;
  erasures: ErasuresStore;
  outbox: Outbox;
  logger: Logger;
};

/**
 * Removes the personal data of erased contacts and confirms the erasure. The ledger keeps its rows and sums. This runs
 * outside the consumer, because scanning the outbox can take longer than a transaction allows. After a crash before the
 * receipt, it runs again.
 */
export function createEraser({ mongo, recipients, engagements, attachments, contents, erasures, outbox, logger }: Deps): Runner {
  async function confirm({ id, accountId, contactId, contactIds, correlationId }: RequestedErasure) {
    await erasures.removed(id, { events: await outbox.erase(accountId, contactIds) });
    await mongo.transaction({ correlationId, causationId: null }, async (tx) => {
      const counted = await erasures.confirmed(tx, id);
      if (!counted) return;
      const only = await recipients.onlyOf(tx, accountId, contactIds);
      await attachments.remove(tx, accountId, only.attachments);
      await contents.remove(tx, accountId, only.contents);
      const rows = await recipients.erase(tx, accountId, contactIds);
      const removed = {
        contactables: contactIds.length,
        recipients: rows.length,
        engagements: await engagements.erase(tx, accountId, rows),
        ...counted,
      };
      const receipt = { erasure_id: id, contact_id: contactId, removed, at: new Date().toISOString() };
      await outbox.add(tx, CampaignsContactErased, accountId, receipt);
    });
    return true;
  }

  return createRunner({
    logger,
    warning: 'removing the data of erased contacts failed; retrying',
    backoffMs: { first: 200, max: 5_000 },
    lookEveryMs: 5_000,
    work: createConfirmErasures({ erasures, logger, confirm }),
  });
}
