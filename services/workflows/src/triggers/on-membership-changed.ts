import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { on } from '@mp/service-kit/consume';
import { type TriggerDeps, triggerByEvent } from './trigger-event.ts';

/**
 * A contact that enters or leaves a segment starts the workflows that this triggers, unless it leaves because it is deleted, or the
 * cause is an event sent as a past one.
 */
export const onMembershipChanged = (deps: TriggerDeps) => [
  on(MembershipEntered, (tx, event) => {
    const { contact_id, segment_id, cause } = event.data;
    if (cause === 'backfill') return Promise.resolve();
    return triggerByEvent(tx, deps, { event, contactId: contact_id, trigger: { type: 'segment_entered', segment_id } });
  }),
  on(MembershipLeft, async (tx, event) => {
    const { contact_id, segment_id, cause } = event.data;
    if (cause === 'deletion' || cause === 'backfill') return;
    await triggerByEvent(tx, deps, { event, contactId: contact_id, trigger: { type: 'segment_left', segment_id } });
  }),
];
