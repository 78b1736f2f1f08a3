import { AudienceChanged } from '@mp/contracts/events/campaigns';
import { ReferencesChanged } from '@mp/contracts/events/workflows';
import { on } from '@mp/service-kit/consume';
import type { ReferencesStore } from './references-store.ts';

/** Tracks which segments campaigns and workflows use, so that deleting one can name what still uses it. */
export const onAudienceChanged = (references: ReferencesStore) =>
  on(AudienceChanged, (tx, { account_id, data: { campaign_id, name, revision, segment_ids } }) =>
    references.keep(tx, account_id, { type: 'campaign', id: campaign_id, name, revision, segmentIds: segment_ids }),
  );

export const onReferencesChanged = (references: ReferencesStore) =>
  on(ReferencesChanged, (tx, { account_id, data: { workflow_id, name, revision, segment_ids } }) =>
    references.keep(tx, account_id, { type: 'workflow', id: workflow_id, name, revision, segmentIds: segment_ids }),
  );
