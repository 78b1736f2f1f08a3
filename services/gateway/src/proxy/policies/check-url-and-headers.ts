import { ApiError, invalid } from '@mp/contracts/errors';
import type { Exchange } from '../exchange.ts';

/** Throws if the target is not a valid URI of at most `maxBytes`, before anything decodes it. */
export function checkTarget({ target, req }: Exchange, { maxBytes }: { maxBytes: number }) {
  if (!plain.test(target)) checkSpelling(target);
  if (req.headers.host === undefined && req.httpVersion !== '1.0') {
    throw invalid('/headers/host', 'required', 'The Host header is required.');
  }
  if (target.length > maxBytes)
    throw new ApiError('URI_TOO_LONG', `The path and query are ${target.length} bytes long; the maximum is ${maxBytes}.`);
}

/** Visible ASCII without `#` and `%`: nothing that needs a closer check. */
const plain = /^[!"$&-~]*$/;

function checkSpelling(target: string) {
  if (/%(?![0-9A-Fa-f]{2})/.test(target))
    throw invalid('/path', 'invalid_format', 'In a URL, % must be followed by two hexadecimal digits.');
  if (!/^[!-~]*$/.test(target) || target.includes('#')) {
    throw invalid('/path', 'invalid_format', 'A URL may contain only visible ASCII characters; percent-encode all others.');
  }
  try {
    decodeURIComponent(target);
  } catch {
    throw invalid('/path', 'invalid_format', 'Percent-encoded characters in a URL must be valid UTF-8.');
  }
}

/** Throws if there are more than `maxBytes` of headers, in the bytes as received, or more than one Host (RFC 9112 §3.2). */
export function checkHeaders({ req: { rawHeaders } }: Exchange, { maxBytes }: { maxBytes: number }) {
  let bytes = 0;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Plus colon, space, CR and LF.
    bytes += name.length + (rawHeaders[index + 1]?.length ?? 0) + 4;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw invalid('/headers/host', 'invalid_format', 'The request has more than one Host header.');
  if (bytes > maxBytes) throw new ApiError('HEADERS_TOO_LARGE', `The headers are ${bytes} bytes long; the maximum is ${maxBytes}.`);
}
