import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { recipientOfMessageId } from '../feedback/feedback.ts';
import { isHard } from '../feedback/hard-bounce.ts';
import { jsonOf, type ReadWebhook, refused, requireRecent } from './webhook.ts';

const Signature = z.object({ signature: z.object({ timestamp: z.string(), token: z.string(), signature: z.string() }) });

const Event = z.object({
  'event-data': z.object({
    id: z.string().max(200),
    event: z.string(),
    severity: z.string().optional(),
    reason: z.string().optional(),
    timestamp: z.number(),
    message: z.object({ headers: z.object({ 'message-id': z.string().optional() }) }),
    'delivery-status': z
      .object({ code: z.number().optional(), message: z.string().optional(), description: z.string().optional() })
      .optional(),
  }),
});

/** The webhooks of Mailgun: HMAC-SHA-256 over a timestamp and a token. */
export const readMailgun: ReadWebhook = ({ body, keys, now }) => {
  const json = jsonOf(body.toString('utf8'));
  const signed = Signature.safeParse(json).data?.signature;
  const expected = createHmac('sha256', keys.secret ?? '')
    .update(`${signed?.timestamp}${signed?.token}`)
    .digest();
  const given = Buffer.from(signed?.signature ?? '', 'hex');
  if (!signed || given.length !== expected.length || !timingSafeEqual(given, expected)) throw refused('its signature is wrong');
  requireRecent(new Date(Number(signed.timestamp) * 1_000), now);

  const event = Event.safeParse(json).data?.['event-data'];
  const recipientId = recipientOfMessageId(event?.message.headers['message-id']);
  if (!event || recipientId === undefined) return [];
  const { code = 0, message = '', description = '' } = event['delivery-status'] ?? {};
  const detail = [code || '', message || description].join(' ').trim() || null;
  const report = { id: `mailgun ${event.id}`, recipientId, detail, at: new Date(event.timestamp * 1_000) };
  if (event.event === 'delivered') return [{ ...report, kind: 'delivered', hard: false }];
  if (event.event === 'complained') return [{ ...report, kind: 'complained', hard: false }];
  if (event.event !== 'failed' || event.severity !== 'permanent') return [];
  const isKnownBad = event.reason === 'suppress-bounce';
  return [{ ...report, kind: 'bounced', hard: isKnownBad || isHard(code, message, 'RCPT TO') }];
};
