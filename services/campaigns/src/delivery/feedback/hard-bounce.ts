/** Whether the address is at fault: by the enhanced status code (RFC 3463 §3.2) if there is one, else by the response to RCPT TO. */
export function isHard(code: number, response: string, command: unknown): boolean {
  const enhanced = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(response);
  if (enhanced) return enhanced[1] === '1' && !['7', '8'].includes(enhanced[2] ?? '');
  return command === 'RCPT TO' && [550, 551, 553].includes(code);
}
