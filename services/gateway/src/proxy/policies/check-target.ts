import { ApiError, invalid } from '@mp/contracts/errors';
import type { Exchange } from '../listener/exchange.ts';

const targetMax = 8_192;
const headersMax = 16_384;

/** Refuses a target that is not a URI, before anybody tries to decode it. */
export function checkTarget({ target, req }: Exchange) {
  if (!plain.test(target)) checkSpelling(target);
  if (req.headers.host === undefined && req.httpVersion !== '1.0') {
    throw invalid('/headers/host', 'required', 'A request names its Host.');
  }
}

/** Visible ASCII without what has a meaning of its own in a URL: nothing to find fault with. */
const plain = /^[!"$&-~]*$/;

function checkSpelling(target: string) {
  if (/%(?![0-9A-Fa-f]{2})/.test(target)) throw invalid('/path', 'invalid_format', 'A % in a URL is followed by two hexadecimal digits.');
  if (!/^[!-~]*$/.test(target) || target.includes('#')) {
    throw invalid('/path', 'invalid_format', 'A URL holds visible ASCII characters only; encode the others with %.');
  }
  try {
    decodeURIComponent(target);
  } catch {
    throw invalid('/path', 'invalid_format', 'What a URL encodes with % is UTF-8.');
  }
}

/** At most 8,192 bytes of path and query. */
export function checkTargetSize({ target }: Exchange) {
  if (target.length > targetMax)
    throw new ApiError('URI_TOO_LONG', `The path and query have ${target.length} bytes; at most ${targetMax}.`);
}

/** At most 16 KiB of headers, counted as they came, and one Host (RFC 9112 §3.2). */
export function checkHeaders({ req: { rawHeaders } }: Exchange) {
  let bytes = 0;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Each pair also has a colon, a space and a line end.
    bytes += name.length + (rawHeaders[index + 1]?.length ?? 0) + 4;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw invalid('/headers/host', 'invalid_format', 'A request names its Host once.');
  if (bytes > headersMax) throw new ApiError('HEADERS_TOO_LARGE', `The headers have ${bytes} bytes; at most ${headersMax}.`);
}
