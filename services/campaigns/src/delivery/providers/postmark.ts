import { createHash, timingSafeEqual } from 'node:crypto';
import { isId } from '@mp/ids';
import { z } from 'zod';
import { header, jsonOf, type ReadWebhook, refused } from './webhook.ts';

/** The key of Postmark's metadata that names the recipient; Postmark replaces the Message-ID. */
export const postmarkMetadata = 'recipient';

const Event = z.object({
  RecordType: z.string(),
  MessageID: z.string().max(200),
  ID: z.union([z.number(), z.string().max(100)]).optional(),
  Type: z.string().optional(),
  Metadata: z.record(z.string(), z.unknown()).optional(),
  DeliveredAt: z.coerce.date().optional(),
  BouncedAt: z.coerce.date().optional(),
  Description: z.string().optional(),
  Details: z.string().optional(),
});

const hardTypes = ['HardBounce', 'BadEmailAddress'];
/** Postmark stopped trying. Of the other types, such as `DnsError` and `AutoResponder`, the email may still arrive, or has. */
const softTypes = ['SoftBounce', 'Blocked', 'SpamNotification'];

const digest = (text: string) => createHash('sha256').update(text).digest();

/** The webhooks of Postmark, which are not signed: they are known by the user name and password set in the webhook. */
export const readPostmark: ReadWebhook = (webhook) => {
  const [scheme = '', credentials = ''] = header(webhook, 'authorization').split(' ');
  const given = Buffer.from(credentials, 'base64').toString('utf8');
  if (!/^basic$/i.test(scheme) || !timingSafeEqual(digest(given), digest(webhook.keys.secret ?? '')))
    throw refused('its user name or password is wrong');
  const event = Event.safeParse(jsonOf(webhook.body.toString('utf8'))).data;
  const recipientId = event?.Metadata?.[postmarkMetadata];
  if (!event || typeof recipientId !== 'string' || !isId('recipient', recipientId)) return [];
  const { RecordType, MessageID, ID = '', Type = '' } = event;
  const report = {
    ...{ id: `postmark ${RecordType} ${MessageID} ${ID}`, recipientId, hard: false },
    detail: event.Details || event.Description || null,
    at: event.DeliveredAt ?? event.BouncedAt ?? webhook.now,
  };
  if (RecordType === 'Delivery') return [{ ...report, kind: 'delivered' }];
  if (RecordType === 'SpamComplaint' || (RecordType === 'Bounce' && Type === 'SpamComplaint')) return [{ ...report, kind: 'complained' }];
  if (RecordType !== 'Bounce' || ![...hardTypes, ...softTypes].includes(Type)) return [];
  return [{ ...report, kind: 'bounced', hard: hardTypes.includes(Type) }];
};
