import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { type Feedback, recipientOfMessageId } from '../feedback/feedback.ts';
import { jsonOf, type ReadWebhook, refused, requireRecent } from './webhook.ts';

/** Requests a URL of Amazon SNS: a signing certificate, or the URL that confirms a subscription. */
export type GetFromSns = (url: string) => Promise<string>;

const Sns = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string().max(200),
  TopicArn: z.string(),
  Message: z.string(),
  Subject: z.string().nullish(),
  Timestamp: z.string(),
  Token: z.string().optional(),
  SubscribeURL: z.string().optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
});
type Sns = z.infer<typeof Sns>;

/** Only Amazon's own hosts: anything else could provide its own certificate. */
const certificateUrl = /^https:\/\/sns\.[a-z0-9-]{3,30}\.amazonaws\.com(\.cn)?\/SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem$/;
const subscribeUrl = /^https:\/\/sns\.[a-z0-9-]{3,30}\.amazonaws\.com(\.cn)?\/\?Action=ConfirmSubscription&[\w=&:.%-]+$/;

const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

/** The text that SNS signs: the names and values of the fields, one on each line. */
export const signedText = (message: Omit<Sns, 'Signature' | 'SigningCertURL'>) =>
  signedFields[message.Type].flatMap((name) => (message[name] ? `${name}\n${message[name]}\n` : [])).join('');

const Recipients = z.array(
  z.object({ action: z.string().optional(), status: z.string().optional(), diagnosticCode: z.string().optional() }),
);
const Event = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  mail: z.object({
    headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    commonHeaders: z.object({ messageId: z.string().optional() }).optional(),
  }),
  bounce: z.object({ bounceType: z.string(), bouncedRecipients: Recipients, timestamp: z.coerce.date() }).optional(),
  complaint: z.object({ complaintFeedbackType: z.string().nullish(), timestamp: z.coerce.date() }).optional(),
  delivery: z.object({ smtpResponse: z.string().optional(), timestamp: z.coerce.date() }).optional(),
});

const maxCertificates = 20;

/** The notifications and events of Amazon SES through SNS: signed with the RSA key of an Amazon certificate. */
export function createReadSes(get: GetFromSns): ReadWebhook {
  const certificates = new Map<string, string>();

  async function isSigned(message: Sns): Promise<boolean> {
    const { SigningCertURL: url, SignatureVersion, Signature } = message;
    if (!certificateUrl.test(url)) return false;
    const certificate = certificates.get(url) ?? (await get(url));
    try {
      const algorithm = SignatureVersion === '1' ? 'sha1' : 'sha256';
      const isValid = verify(algorithm, Buffer.from(signedText(message)), createPublicKey(certificate), Buffer.from(Signature, 'base64'));
      if (isValid && certificates.size < maxCertificates) certificates.set(url, certificate);
      return isValid;
    } catch {
      return false;
    }
  }

  return async ({ body, keys, now }) => {
    const message = Sns.safeParse(jsonOf(body.toString('utf8'))).data;
    if (!message || message.TopicArn !== keys.topic_arn) throw refused('it is not an SNS message of the topic in topic_arn');
    if (!(await isSigned(message))) throw refused('its signature is wrong');
    requireRecent(new Date(message.Timestamp), now);
    if (message.Type === 'SubscriptionConfirmation' && subscribeUrl.test(message.SubscribeURL ?? '')) await get(message.SubscribeURL ?? '');
    return message.Type === 'Notification' ? feedbackOf(message) : [];
  };
}

function feedbackOf({ MessageId, Message }: Sns): Feedback[] {
  const event = Event.safeParse(jsonOf(Message)).data;
  if (!event) return [];
  const { headers = [], commonHeaders } = event.mail;
  const original = headers.find(({ name }) => name.toLowerCase() === 'message-id')?.value;
  const recipientId = recipientOfMessageId(original) ?? recipientOfMessageId(commonHeaders?.messageId);
  if (recipientId === undefined) return [];
  const report = { id: `ses ${MessageId}`, recipientId, hard: false, detail: null };
  switch (event.notificationType ?? event.eventType) {
    case 'Delivery':
      return event.delivery ? [{ ...report, kind: 'delivered', at: event.delivery.timestamp }] : [];
    case 'Complaint':
      return event.complaint && event.complaint.complaintFeedbackType !== 'not-spam'
        ? [{ ...report, kind: 'complained', at: event.complaint.timestamp }]
        : [];
    case 'Bounce': {
      if (!event.bounce) return [];
      const { bounceType, bouncedRecipients, timestamp } = event.bounce;
      const [first] = bouncedRecipients;
      const hard = bounceType === 'Permanent';
      // SES also reports automatic replies as bounces. They have no delivery status, as a bounce has after its last attempt.
      if (!hard && first?.action !== 'failed') return [];
      const detail = first?.diagnosticCode ?? first?.status ?? null;
      return [{ ...report, kind: 'bounced', hard, detail, at: timestamp }];
    }
    default:
      return [];
  }
}
