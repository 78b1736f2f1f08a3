import { isId } from '@mp/ids';
import { z } from 'zod';

// The types that these give to ids keep each kind out of the places of the others (docs/decisions/0062-typed-ids.md).

/** The account that owns a resource or an event. */
export const accountId = z.string().brand<'account'>();
export const contactId = z.string().brand<'contact'>();
export const formId = z.string().brand<'form'>();
export const segmentId = z.string().brand<'segment'>();
export const workflowId = z.string().brand<'workflow'>();
export const runId = z.string().brand<'run'>();
export const campaignId = z.string().brand<'campaign'>();
export const templateId = z.string().brand<'template'>();
export const couponId = z.string().brand<'coupon'>();
export const recipientId = z.string().brand<'recipient'>();
export const webhookId = z.string().brand<'webhook'>();
export const visitorId = z.string().brand<'visitor'>();

/** A segment that a request names. */
export const namedSegment = segmentId.refine((id) => isId('segment', id), 'expected a segment ID, such as segment_01h…');
