import type { IncomingMessage } from 'node:http';
import { ApiError } from '@mp/contracts/errors';

/**
 * Whether the client waits for 100 Continue before it sends its body (RFC 9110 §10.1.1). Throws EXPECTATION_FAILED for any
 * other expectation. HTTP/1.0 has none.
 */
export function expectsContinue({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  if (expect === undefined || httpVersion === '1.0') return false;
  if (/^100-continue$/i.test(expect)) return true;
  throw new ApiError('EXPECTATION_FAILED', 'Only the expectation 100-continue is supported.');
}
