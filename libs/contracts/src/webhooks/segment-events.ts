import { MembershipEntered, MembershipLeft } from '../events/segments.ts';
import { MembershipCause } from '../membership-cause.ts';
import { defineWebhookEvent } from './webhook-event.ts';

const membership = MembershipEntered.data.omit({ cause: true });

export const segmentEntered = defineWebhookEvent({
  type: 'segment.entered',
  summary: 'A contact entered a segment',
  source: MembershipEntered,
  data: membership,
  content: ({ data: { cause, ...data } }) => ({ data, cause, contactIds: [data.contact_id] }),
  causes: MembershipCause.options,
});

export const segmentLeft = defineWebhookEvent({
  type: 'segment.left',
  summary: 'A contact left a segment',
  source: MembershipLeft,
  data: membership,
  content: ({ data: { cause, ...data } }) => ({ data, cause, contactIds: [data.contact_id] }),
  causes: MembershipCause.options,
});
