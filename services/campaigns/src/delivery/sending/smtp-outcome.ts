import { isHard } from '../feedback/hard-bounce.ts';

/** The result of sending one email, from the mail server's response or the lack of one. */
export type Delivery =
  | { kind: 'accepted'; response: string }
  /** Temporarily rejected. `isClosing` if the server closes the connection; `isTimeout` if there was no response at all. */
  | { kind: 'deferred'; response: string; isClosing?: boolean; isTimeout?: boolean }
  /** Permanently rejected; `hard` if the address itself is undeliverable. */
  | { kind: 'refused'; hard: boolean; response: string }
  /**
   * The server was not reached with this email: no byte of its content was sent. `phase` if the connection had been ready for
   * it; `late` is the fault of this process and says nothing about the server.
   */
  | { kind: 'unreachable'; error: string; phase?: 'closed' | 'timeout' | 'late' }
  /** The connection broke while the email was being sent: it may have been accepted. */
  | { kind: 'uncertain'; error: string };

/** The fields of nodemailer's errors that say what happened. */
type SmtpFault = { message: string; code?: unknown; responseCode?: unknown; response?: unknown; command?: unknown };

/** Commands whose response is about this email rather than about the connection. */
const aboutMessage = new Set<unknown>(['MAIL FROM', 'RCPT TO', 'DATA']);

export function deliveryOf(fault: SmtpFault, dataBegan: boolean): Delivery {
  const code = typeof fault.responseCode === 'number' ? fault.responseCode : undefined;
  const response = typeof fault.response === 'string' ? fault.response : fault.message;
  if (code !== undefined && aboutMessage.has(fault.command)) {
    // 421 closes the connection. Before there is a recipient, it is the whole server; after that, it is about the recipient.
    if (code === 421 && fault.command === 'MAIL FROM') return { kind: 'unreachable', error: response };
    if (code >= 400 && code < 500) return { kind: 'deferred', response, ...(code === 421 && { isClosing: true }) };
    if (code >= 500) return { kind: 'refused', hard: isHard(code, response, fault.command), response };
  }
  // The email exceeds the server's SIZE limit (RFC 1870), which nodemailer checks itself: the email is at fault, not the server.
  if (fault.code === 'EMESSAGE' && !dataBegan) return { kind: 'refused', hard: false, response };
  if (dataBegan) return { kind: 'uncertain', error: response };
  return { kind: 'unreachable', error: response, phase: fault.code === 'ETIMEDOUT' ? 'timeout' : 'closed' };
}

/** The status codes of a response, such as `451 4.7.1`, for the log: the text may contain addresses. */
export function statusCodes(response: string): string {
  const [, code, enhanced] = /^(\d{3})(?:[ -]([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(response) ?? [];
  return [code ?? 'no status', ...(enhanced === undefined ? [] : [enhanced])].join(' ');
}
