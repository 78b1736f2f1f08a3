import type { AccountErasureReceipt } from '@mp/contracts/account-erasure';
import type { EventType } from '@mp/contracts/event';
import { CampaignsAccountErased } from '@mp/contracts/events/campaigns';
import { ContactsAccountErased } from '@mp/contracts/events/contacts';
import { LeadpulseAccountErased } from '@mp/contracts/events/leadpulse';
import { SegmentsAccountErased } from '@mp/contracts/events/segments';
import { WorkflowsAccountErased } from '@mp/contracts/events/workflows';
import { type UpstreamName, upstreamNames } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { type Consumer, createConsumer, on } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/service-parts';
import type { AccountDeletionsStore } from './account-deletions-store.ts';

/** The confirmation event of each service. */
const receiptEvents: Record<UpstreamName, EventType<typeof AccountErasureReceipt>> = {
  contacts: ContactsAccountErased,
  segments: SegmentsAccountErased,
  campaigns: CampaignsAccountErased,
  leadpulse: LeadpulseAccountErased,
  workflows: WorkflowsAccountErased,
};

/** Records the confirmation of each service, with one consumer per stream. The consumers must not skip the events of erased accounts. */
export const onAccountErased = (
  { mongo, broker, logger, metrics }: Pick<Parts, 'mongo' | 'broker' | 'logger' | 'metrics'>,
  deletions: AccountDeletionsStore,
): Consumer[] =>
  upstreamNames.map((service) =>
    createConsumer(
      { mongo, broker, logger, metrics },
      {
        name: `gateway-account-erasures-${service}`,
        stream: streams[service],
        filter: receiptEvents[service].subject,
        handlers: [
          on(receiptEvents[service], (tx, { data: { account_id, removed, at } }) =>
            deletions.receive(tx, account_id, service, { at: new Date(at), removed }),
          ),
        ],
      },
    ),
  );
