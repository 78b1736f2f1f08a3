import { webhookId } from '@mp/contracts/ids';
import { z } from 'zod';

export const DeliveryStatus = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const Attempt = z
  .object({
    at: z.iso.datetime().describe('When the attempt began.'),
    status_code: z.number().int().nullable().describe('HTTP status of the response; null without one.'),
    duration_ms: z.number().int(),
    error: z.string().nullable().describe('Why the attempt failed; null if it succeeded.'),
    response: z.string().nullable().describe('The first 2 KiB of the response; null without one.'),
  })
  .meta({ id: 'WebhookAttempt' });
export type Attempt = z.output<typeof Attempt>;

/** A delivery as lists show it. */
export const Delivery = z
  .object({
    id: z.string().describe('Opaque: `delivery_` and a time-ordered suffix.'),
    webhook_id: webhookId,
    event_id: z.string().describe('ID of the event: the header `webhook-id`, the same in every attempt and replay.'),
    type: z.string().describe('Type of the event, such as `contact.created`.'),
    status: DeliveryStatus.describe('`pending`: an attempt is due or in-flight. `failed`: no further attempt is made.'),
    batch_id: z
      .string()
      .nullable()
      .describe('The batch it was sent in: then this is the header `webhook-id`. A replay is part of another batch.'),
    test: z.boolean().describe('Sent by POST /v2/webhooks/{id}/test.'),
    attempt_count: z.number().int(),
    last_attempt: Attempt.nullable(),
    next_attempt_at: z.iso.datetime().nullable().describe('When the next attempt is due; null when none is.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.output<typeof Delivery>;

export const DeliveryDetails = Delivery.extend({
  payload: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The body of the request; null if the credential may not read what the event is about, such as contacts.'),
  attempts: z.array(Attempt).describe('The last 20 attempts, oldest first.'),
}).meta({ id: 'WebhookDeliveryDetails' });
export type DeliveryDetails = z.output<typeof DeliveryDetails>;

/** Days for which deliveries are kept and can be replayed. */
export const deliveryRetentionDays = 30;

export const maxAttemptsKept = 20;
