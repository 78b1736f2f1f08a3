import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { recipientOfMessageId } from '../feedback/feedback.ts';
import { header, jsonOf, type ReadWebhook, refused, requireRecent, type Webhook } from './webhook.ts';

const Event = z.object({
  event: z.string(),
  timestamp: z.number(),
  sg_event_id: z.string().max(200),
  'smtp-id': z.string().optional(),
  type: z.string().optional(),
  status: z.string().optional(),
  reason: z.string().optional(),
});

const kinds = { delivered: 'delivered', bounce: 'bounced', dropped: 'bounced', spamreport: 'complained' } as const;
const isKind = (event: string): event is keyof typeof kinds => event in kinds;

/** The signed event webhook of SendGrid: ECDSA over the timestamp and the body. */
export const readSendgrid: ReadWebhook = (webhook) => {
  requireSigned(webhook);
  const events = z.array(z.unknown()).safeParse(jsonOf(webhook.body.toString('utf8'))).data ?? [];
  return events.flatMap((one) => {
    const event = Event.safeParse(one).data;
    const recipientId = recipientOfMessageId(event?.['smtp-id']);
    if (!event || recipientId === undefined || !isKind(event.event)) return [];
    return {
      ...{ id: `sendgrid ${event.sg_event_id}`, recipientId, kind: kinds[event.event] },
      // `blocked` is a rejection of the email, or the end of its attempts; `dropped` is a rejection by SendGrid itself.
      hard: event.event === 'bounce' && event.type !== 'blocked',
      detail: [event.status, event.reason].filter(Boolean).join(' ') || null,
      at: new Date(event.timestamp * 1_000),
    };
  });
};

function requireSigned(webhook: Webhook) {
  const timestamp = header(webhook, 'x-twilio-email-event-webhook-timestamp');
  const signature = Buffer.from(header(webhook, 'x-twilio-email-event-webhook-signature'), 'base64');
  const signed = Buffer.concat([Buffer.from(timestamp), webhook.body]);
  if (!isValid(signed, webhook.keys.public_key ?? '', signature)) throw refused('its signature is wrong');
  requireRecent(new Date(Number(timestamp) * 1_000), webhook.now);
}

function isValid(signed: Buffer, publicKey: string, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', signed, key, signature);
  } catch {
    return false;
  }
}
