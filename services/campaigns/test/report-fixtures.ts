/** A delivery status notification as RFC 3464 describes it. */
export const deliveryStatus = ({ to, action, status, diagnostic }: { to: string; action: string; status: string; diagnostic: string }) =>
  mail([
    'From: MAILER-DAEMON@mx.example.net',
    `To: ${to}`,
    'Subject: Undelivered Mail Returned to Sender',
    `Message-ID: <${Math.random()}@mx.example.net>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="part"',
    '',
    '--part',
    'Content-Type: text/plain',
    '',
    'The message could not be delivered.',
    '--part',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    'Arrival-Date: Sun, 1 Mar 2026 10:00:00 +0000',
    '',
    'Final-Recipient: rfc822; x@example.com',
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic ? [`Diagnostic-Code: ${diagnostic}`] : []),
    '',
    '--part',
    'Content-Type: message/rfc822',
    '',
    'From: news@example.com',
    'Subject: Hi',
    '',
    'Hi',
    '--part--',
    '',
  ]);

/** A complaint as RFC 5965 describes it; `original` are headers of the original email. */
export const complaint = ({ original, type }: { original: string; type: string }) =>
  mail([
    'From: feedback@mailbox.example.net',
    'To: complaints@bounces.example.com',
    'Subject: FW: Hi',
    `Message-ID: <${Math.random()}@mailbox.example.net>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="part"',
    '',
    '--part',
    'Content-Type: text/plain',
    '',
    'This is an email abuse report.',
    '--part',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: SomeGenerator/1.0',
    'Version: 1',
    '',
    '--part',
    'Content-Type: message/rfc822',
    '',
    original,
    'From: news@example.com',
    'Subject: Hi',
    '',
    'Hi',
    '--part--',
    '',
  ]);

const mail = (lines: readonly string[]) => Buffer.from(lines.join('\r\n'));

const filled = (head: readonly string[], piece: string) =>
  Buffer.from(`${head.join('\r\n')}\r\n\r\n`.concat(piece.repeat(1_048_576 / piece.length)));

const multipart = (boundary: string) => `Content-Type: multipart/report; boundary="${boundary}"`;
const nested = Array.from({ length: 200 }, (_, depth) => [`--${depth}`, multipart(String(depth + 1)), '']).flat();
const complaintHead = [
  'Content-Type: message/feedback-report',
  '',
  'Feedback-Type: abuse',
  '',
  '--part',
  'Content-Type: message/rfc822',
  '',
];

/** Emails of 1 MiB that consist of as many pieces as possible. */
export const hostileReports = {
  'empty parts': filled([multipart('a')], '--a\r\n\r\n'),
  'nested parts': filled([multipart('0'), '', ...nested], 'a\r\n'),
  'lines like boundaries': filled([multipart('0'), '', ...nested], '--\r\n'),
  addresses: filled(['Subject: Hi'].concat(`To: ${'a@b,'.repeat(250_000)}`), 'a'),
  headers: filled([], 'a:b\r\n'),
  groups: filled([multipart('part'), '', '--part', 'Content-Type: message/delivery-status', ''], 'a: b\r\n\r\n'),
  'links that are not signed': filled([multipart('part'), '', '--part', ...complaintHead], `/t/${'a'.repeat(40)} `),
};
