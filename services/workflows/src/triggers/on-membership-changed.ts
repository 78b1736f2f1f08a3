import type { EventEnvelope } from '@mp/contracts/event';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { type EventHandler, onAll } from '@mp/service-kit/consume';
import type { z } from 'zod';
import type { ApplyContactEvents, Happening } from '../occurrences/apply-contact-events.ts';
import { membershipKey, triggerKey } from '../workflows/trigger.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';

type Deps = { workflows: Pick<WorkflowsStore, 'concerns'>; applyContactEvents: ApplyContactEvents };

type Entered = EventEnvelope<z.output<typeof MembershipEntered.data>>;
type Left = EventEnvelope<z.output<typeof MembershipLeft.data>>;

const Relevant = MembershipLeft.data
  .pick({ segment_id: true, cause: true })
  .or(MembershipEntered.data.pick({ segment_id: true, cause: true }));

/**
 * A contact that enters or leaves a segment applies this to its runs and starts the workflows that this triggers, unless it leaves because it is
 * deleted, or the cause is an event sent as a past one. Most memberships concern no workflow: they cost no transaction.
 */
export const onMembershipChanged = ({ workflows, applyContactEvents }: Deps): EventHandler[] => {
  const isRelevant =
    (type: 'segment_entered' | 'segment_left') =>
    ({ account_id, data }: EventEnvelope) => {
      const { segment_id, cause } = Relevant.parse(data);
      if (cause === 'deletion' || cause === 'backfill') return Promise.resolve(false);
      return workflows.concerns(account_id, triggerKey({ type, segment_id }));
    };
  return [
    {
      ...onAll(MembershipEntered, (tx, events) =>
        applyContactEvents(
          tx,
          events.map((event) => happened(event, 'segment_entered')),
        ),
      ),
      isRelevant: isRelevant('segment_entered'),
    },
    {
      ...onAll(MembershipLeft, (tx, events) =>
        applyContactEvents(
          tx,
          events.map((event) => happened(event, 'segment_left')),
        ),
      ),
      isRelevant: isRelevant('segment_left'),
    },
  ];
};

const happened = (event: Entered | Left, type: 'segment_entered' | 'segment_left'): Happening => {
  const { contact_id: contactId, segment_id, at } = event.data;
  const key = type === 'segment_entered' ? membershipKey(segment_id, at) : event.id;
  return { event, key, contactId, occurred: { type, segment_id }, trigger: { type, segment_id } };
};
