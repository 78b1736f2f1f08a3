import type { ErasingService, ErasureReceipt } from '@mp/contracts/erasure';
import type { EventType } from '@mp/contracts/event';
import { CampaignsContactErased } from '@mp/contracts/events/campaigns';
import { LeadpulseContactErased } from '@mp/contracts/events/leadpulse';
import { SegmentsContactErased } from '@mp/contracts/events/segments';
import { WorkflowsContactErased } from '@mp/contracts/events/workflows';
import { on } from '@mp/service-kit/consume';
import type { ErasuresStore } from './erasures-store.ts';

/** The confirmation event of each service that keeps data about contacts. */
export const receiptEvents: Record<ErasingService, EventType<typeof ErasureReceipt>> = {
  segments: SegmentsContactErased,
  campaigns: CampaignsContactErased,
  leadpulse: LeadpulseContactErased,
  workflows: WorkflowsContactErased,
};

export const onErased = (erasures: ErasuresStore, service: ErasingService) =>
  on(receiptEvents[service], (tx, { account_id, data: { erasure_id, removed, at } }) =>
    erasures.receive(tx, account_id, { id: erasure_id, service, receipt: { at: new Date(at), removed } }),
  );
