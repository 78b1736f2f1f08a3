import { AudienceChanged } from '@mp/contracts/events/campaigns';
import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Campaign } from './campaign.ts';
import { usesSegments } from './campaign-states.ts';

type Published = Pick<Campaign, 'id' | 'name' | 'revision' | 'status' | 'audience'>;

export type PublishAudience = ReturnType<typeof createPublishAudience>;

/** Publishes which segments a campaign uses, in the transaction that changes it, so that the segments service rejects requests to delete them. */
export const createPublishAudience =
  (outbox: Pick<Outbox, 'add'>) =>
  async (tx: Transaction, accountId: AccountId, campaign: Published, { gone = false } = {}) => {
    const { id, name, revision, status, audience } = campaign;
    const used = gone || !usesSegments(status) ? [] : [...audience.include, ...audience.exclude].filter((one) => one !== 'all');
    await outbox.add(tx, AudienceChanged, accountId, { campaign_id: id, name, revision, segment_ids: [...new Set(used)] });
  };
