import type { EventEnvelope } from '@mp/contracts/event';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import type { ContactId, SegmentId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { OccurToContact } from '../occurrences/occur-to-contact.ts';
import { type TriggerDeps, triggerByEvent } from './trigger-event.ts';

type Deps = TriggerDeps & { occurToContact: OccurToContact };

/**
 * A contact that enters or leaves a segment applies this to its runs and starts the workflows that this triggers, unless it leaves because it is
 * deleted, or the cause is an event sent as a past one.
 */
export const onMembershipChanged = (deps: Deps) => [
  on(MembershipEntered, async (tx, event) => {
    const { contact_id, segment_id, cause } = event.data;
    if (cause === 'backfill') return;
    await deps.occurToContact(tx, happened(event, 'segment_entered'));
    await triggerByEvent(tx, deps, { event, contactId: contact_id, trigger: { type: 'segment_entered', segment_id } });
  }),
  on(MembershipLeft, async (tx, event) => {
    const { contact_id, segment_id, cause } = event.data;
    if (cause === 'deletion' || cause === 'backfill') return;
    await deps.occurToContact(tx, happened(event, 'segment_left'));
    await triggerByEvent(tx, deps, { event, contactId: contact_id, trigger: { type: 'segment_left', segment_id } });
  }),
];

const happened = (event: EventEnvelope<{ contact_id: ContactId; segment_id: SegmentId }>, type: 'segment_entered' | 'segment_left') => ({
  id: event.id,
  eventId: event.id,
  accountId: event.account_id,
  contactId: event.data.contact_id,
  at: new Date(event.time),
  occurred: { type, segment_id: event.data.segment_id },
});
