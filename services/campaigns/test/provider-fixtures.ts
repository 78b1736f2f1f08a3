import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { signedText } from '../src/delivery/providers/ses.ts';

/** Webhooks as the providers document them, with fields that are not read, signed with keys of the test. */

/** `gave_up`: the provider stopped trying, for a temporary reason. `temporary`: it is still trying, or the email was received. */
export type Kind = 'delivered' | 'bounced' | 'complained' | 'gave_up' | 'temporary';
type Report = { kind: Kind; messageId: string; recipientId: string; id: string; at: Date };
export type Request = { body: string; headers: Record<string, string> };

const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

export const sendgridKey = ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
export const snsCertificate = String(rsa.publicKey.export({ format: 'pem', type: 'spki' }));
export const mailgunKey = 'key-0123456789abcdef';
export const topicArn = 'arn:aws:sns:eu-west-1:123456789012:ses-feedback';
export const basicAuth = { username: 'postmark', password: 'a-long-password-1' };

export function sendgrid({ kind, messageId, id, at }: Report, signedAt = at): Request {
  const byKind = {
    delivered: { event: 'delivered' },
    bounced: { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 The email account does not exist.' },
    complained: { event: 'spamreport' },
    gave_up: { event: 'bounce', type: 'blocked', reason: 'unable to get mx info: lookup failed' },
    temporary: { event: 'deferred', attempt: '3', response: '451 4.7.1 Greylisted, try again' },
  };
  return signedBySendgrid(signedAt, [
    { email: 'x@example.com', event: 'processed', timestamp: 1, sg_event_id: `${id}-processed`, 'smtp-id': messageId },
    {
      ...{ email: 'x@example.com', timestamp: Math.floor(at.getTime() / 1_000), 'smtp-id': messageId, ...byKind[kind] },
      ...{ category: ['news'], sg_event_id: id, sg_message_id: `${id}.filter0001`, ip: '192.0.2.1', unheard_of: { a: 1 } },
    },
  ]);
}

export function signedBySendgrid(signedAt: Date, events: readonly object[]): Request {
  const timestamp = String(Math.floor(signedAt.getTime() / 1_000));
  const body = JSON.stringify(events);
  const signature = sign('sha256', Buffer.from(timestamp + body), ec.privateKey).toString('base64');
  const prefix = 'x-twilio-email-event-webhook';
  return { body, headers: { [`${prefix}-signature`]: signature, [`${prefix}-timestamp`]: timestamp, 'content-type': 'application/json' } };
}

export function mailgun({ kind, messageId, id, at }: Report, signedAt = at): Request {
  const timestamp = String(Math.floor(signedAt.getTime() / 1_000));
  const token = `token-${id}`;
  const failed = (severity: string, reason: string, code: number, message: string) => ({
    ...{ event: 'failed', severity, reason, 'delivery-status': { code, message, 'attempt-no': 1 } },
  });
  const byKind = {
    delivered: { event: 'delivered' },
    bounced: failed('permanent', 'bounce', 550, '5.1.1 No such user'),
    complained: { event: 'complained' },
    gave_up: failed('permanent', 'old', 452, '4.2.2 The mailbox is full'),
    temporary: failed('temporary', 'generic', 451, '4.7.1 Greylisted, try again'),
  };
  const body = JSON.stringify({
    signature: {
      timestamp,
      token,
      signature: createHmac('sha256', mailgunKey)
        .update(timestamp + token)
        .digest('hex'),
    },
    'event-data': {
      ...{ ...byKind[kind], id, timestamp: at.getTime() / 1_000 },
      message: { headers: { 'message-id': messageId.replace(/[<>]/g, ''), to: 'x@example.com', subject: 'Hi' }, size: 300 },
      ...{ recipient: 'x@example.com', 'log-level': 'info', tags: [], flags: { 'is-test-mode': false } },
    },
  });
  return { body, headers: { 'content-type': 'application/json' } };
}

export function postmark({ kind, recipientId, id, at }: Report): Request {
  const common = { MessageID: id, Metadata: { recipient: recipientId }, MessageStream: 'outbound', ServerID: 23, Tag: '' };
  const bounce = {
    ID: 42,
    Type: 'HardBounce',
    TypeCode: 1,
    Details: 'smtp;550 5.1.1 unknown',
    Email: 'x@example.com',
    BouncedAt: at.toISOString(),
  };
  const byKind = {
    delivered: { RecordType: 'Delivery', Recipient: 'x@example.com', DeliveredAt: at.toISOString(), Details: '250 OK' },
    bounced: { RecordType: 'Bounce', ...bounce },
    complained: { RecordType: 'SpamComplaint', ...bounce, Type: 'SpamComplaint', TypeCode: 512 },
    gave_up: { RecordType: 'Bounce', ...bounce, Type: 'SoftBounce', TypeCode: 4_096, Details: 'smtp;452 4.2.2 over quota' },
    temporary: { RecordType: 'Bounce', ...bounce, Type: 'DnsError', TypeCode: 256, Details: 'A temporary DNS error.' },
  };
  const credentials = Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64');
  return {
    body: JSON.stringify({ ...common, ...byKind[kind] }),
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
  };
}

const certificateUrl = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';

export function sns(fields: Record<string, string>, url = certificateUrl): Request {
  const message = {
    ...{ Type: 'Notification' as const, TopicArn: topicArn, MessageId: 'm', Message: '', Timestamp: new Date().toISOString() },
    ...{ SignatureVersion: '2' as const, ...fields },
  };
  const Signature = sign(message.SignatureVersion === '2' ? 'sha256' : 'sha1', Buffer.from(signedText(message)), rsa.privateKey).toString(
    'base64',
  );
  const body = JSON.stringify({ ...message, Signature, SigningCertURL: url, UnsubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?x' });
  return { body, headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': message.Type } };
}

export function ses({ kind, messageId, id, at }: Report, signedAt = at): Request {
  const timestamp = at.toISOString();
  const emailAddress = 'x@example.com';
  const bounce = (bounceType: string, bounceSubType: string, dsn: object) => ({
    notificationType: 'Bounce',
    bounce: { bounceType, bounceSubType, bouncedRecipients: [{ emailAddress, ...dsn }], timestamp, feedbackId: 'f' },
  });
  const byKind = {
    delivered: {
      notificationType: 'Delivery',
      delivery: { timestamp, processingTimeMillis: 546, recipients: ['x@example.com'], smtpResponse: '250 ok' },
    },
    bounced: bounce('Permanent', 'General', { action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }),
    gave_up: bounce('Transient', 'General', { action: 'failed', status: '4.4.7', diagnosticCode: 'smtp; 554 4.4.7 Message expired' }),
    // An automatic reply, which has no delivery status.
    temporary: bounce('Transient', 'General', {}),
    complained: {
      notificationType: 'Complaint',
      complaint: { complainedRecipients: [{ emailAddress }], timestamp, feedbackId: 'f', complaintFeedbackType: 'abuse' },
    },
  };
  const mail = {
    ...{ timestamp, messageId: '0102-ses', source: 'news@example.com', destination: ['x@example.com'], headersTruncated: false },
    headers: [{ name: 'Message-ID', value: messageId }],
    commonHeaders: { from: ['news@example.com'], messageId: '<0102-ses@eu-west-1.amazonses.com>' },
  };
  return sns({ MessageId: id, Message: JSON.stringify({ ...byKind[kind], mail }), Timestamp: signedAt.toISOString() });
}
