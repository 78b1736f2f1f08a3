import { createHash } from 'node:crypto';
import PostalMime, { type Email } from 'postal-mime';
import { isHard } from '../feedback/hard-bounce.ts';

/** What a mail server or a mailbox provider reports about one email. */
export type Report =
  | { kind: 'bounced'; id: string; hard: boolean; detail: string | null }
  | { kind: 'delivered'; id: string }
  /** `about` is the report with the original email, in which its signed addresses are found. */
  | { kind: 'complained'; id: string; about: string };

/** Lines that may separate parts. An email with more is not read: a report has a few, and each part costs the parser an object. */
const maxBoundaries = 1_000;

/**
 * Reads a delivery status notification (RFC 3464) or a complaint (RFC 5965). Undefined for any other email and for delays. Runs in a
 * worker thread, so that no email can block the event loop.
 */
export default async function readReport(raw: Uint8Array): Promise<Report | undefined> {
  if (
    Buffer.from(raw)
      .toString('latin1')
      .split('\n--', maxBoundaries + 1).length > maxBoundaries
  )
    return undefined;
  const email = await PostalMime.parse(raw, { forceRfc822Attachments: true, attachmentEncoding: 'utf8' });
  const id = (email.messageId ?? createHash('sha256').update(raw).digest('base64url')).slice(0, 200);
  const status = partOf(email, /^message\/(global-)?delivery-status$/);
  if (status !== undefined) return deliveryStatus(status, id);
  const complaint = partOf(email, /^message\/feedback-report$/);
  return complaint === undefined ? undefined : feedbackReport(complaint, email, id);
}

const partOf = ({ attachments }: Email, type: RegExp): string | undefined => {
  const content = attachments.find(({ mimeType }) => type.test(mimeType.toLowerCase()))?.content;
  return typeof content === 'string' ? content : undefined;
};

/** The fields of each group, by their names in lower case. */
const fieldsOf = (text: string) =>
  text
    .replace(/\r\n/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split(/\n\s*\n/)
    .map(
      (group) =>
        new Map(
          group.split('\n').map((line) => [line.split(':', 1)[0]?.trim().toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '').trim()]),
        ),
    );

/** Every email has one recipient, so the first recipient is the one. */
function deliveryStatus(text: string, id: string): Report | undefined {
  const recipient = fieldsOf(text).find((fields) => fields.has('action'));
  const action = recipient?.get('action')?.toLowerCase();
  if (action === 'delivered') return { kind: 'delivered', id };
  if (!recipient || action !== 'failed') return undefined;
  const status = /\d\.\d{1,3}\.\d{1,3}/.exec(recipient.get('status') ?? '')?.[0] ?? '';
  const diagnostic = (recipient.get('diagnostic-code') ?? '').replace(/^[\w-]+;\s*/, '');
  const code = Number(/\b5\d\d\b/.exec(diagnostic)?.[0] ?? 0);
  // The generic status says less than the response of the server.
  const said = status === '5.0.0' ? diagnostic : `${status} ${diagnostic}`.trim();
  return { kind: 'bounced', id, hard: isHard(code, said, 'RCPT TO'), detail: said.slice(0, 1_000) || null };
}

function feedbackReport(text: string, { attachments }: Email, id: string): Report | undefined {
  const [fields] = fieldsOf(text);
  if (fields?.get('feedback-type')?.toLowerCase() !== 'abuse') return undefined;
  const about = attachments.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
  return { kind: 'complained', id, about };
}
