import type { IncomingMessage } from 'node:http';
import { ApiError } from '@mp/contracts/errors';

/**
 * Whether the client waits for a word before it sends its body (RFC 9110 §10.1.1). Throws EXPECTATION_FAILED when it
 * expects anything else. HTTP/1.0 has no expectations.
 */
export function expectsContinue({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  if (expect === undefined || httpVersion === '1.0') return false;
  if (/^100-continue$/i.test(expect)) return true;
  throw new ApiError('EXPECTATION_FAILED', 'The only expectation that is met is 100-continue.');
}
