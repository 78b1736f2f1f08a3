/** What a mail server's answer, or the lack of one, means for one message. */
export type Delivery =
  | { kind: 'accepted'; response: string }
  /** Refused for now. */
  | { kind: 'deferred'; response: string }
  /** Refused for good; `hard` when the address itself is not deliverable. */
  | { kind: 'refused'; hard: boolean; response: string }
  /** The server did not get as far as this message: nothing of it left. */
  | { kind: 'unreachable'; error: string }
  /** It was being handed over when the connection broke: it may have been taken. */
  | { kind: 'uncertain'; error: string };

/** The members of nodemailer's errors that tell what happened. */
type SmtpFault = { message: string; code?: unknown; responseCode?: unknown; response?: unknown; command?: unknown };

/** Commands whose answer is about this message rather than about the connection. */
const aboutMessage = new Set<unknown>(['MAIL FROM', 'RCPT TO', 'DATA']);

export function deliveryOf(fault: SmtpFault, dataBegan: boolean): Delivery {
  const code = typeof fault.responseCode === 'number' ? fault.responseCode : undefined;
  const response = typeof fault.response === 'string' ? fault.response : fault.message;
  if (code !== undefined && aboutMessage.has(fault.command)) {
    // 421 is the server closing the whole connection.
    if (code === 421 && !dataBegan) return { kind: 'unreachable', error: response };
    if (code >= 400 && code < 500) return { kind: 'deferred', response };
    if (code >= 500) return { kind: 'refused', hard: isHard(code, response, fault.command), response };
  }
  // Larger than the server said it takes (RFC 1870): nodemailer does not ask. It is the message's fault, not the server's.
  if (fault.code === 'EMESSAGE' && !dataBegan) return { kind: 'refused', hard: false, response };
  return { kind: dataBegan ? 'uncertain' : 'unreachable', error: response };
}

/** The address is at fault: by the enhanced status code (RFC 3463 §3.2) where there is one, else by the code of RCPT TO. */
function isHard(code: number, response: string, command: unknown): boolean {
  const enhanced = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(response);
  if (enhanced) return enhanced[1] === '1' && !['7', '8'].includes(enhanced[2] ?? '');
  return command === 'RCPT TO' && [550, 551, 553].includes(code);
}
