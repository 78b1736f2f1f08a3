import { isUtf8 } from 'node:buffer';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ambiguityIn, mayBeAmbiguous } from './ambiguous-json.ts';
import { holdsManyMarks, mostMarks, mostTextUnchecked, tooManyMarks } from './combining-marks.ts';

/** No request of ours nests deeper; deeper ones could exhaust the stack of whatever walks them. */
const maxDepth = 64;

/**
 * JSON is the only body format. A JSON content type without a body is fine, since many clients always send it, and a
 * write without a body is `{}`. Members named `__proto__` or `constructor.prototype` are refused.
 */
export function acceptJson(app: FastifyInstance) {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addHook('preParsing', (request, _reply, payload, done) => done(mediaFault(request), payload));
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes)) return done(invalid('/', 'invalid_encoding', 'The body is not UTF-8; JSON is sent as UTF-8.'));
    const body = bytes.toString();
    if (depthOf(body) > maxDepth) return done(invalid('/', 'invalid_json', `The body nests deeper than ${maxDepth} levels.`));
    const suspect = body.length > mostTextUnchecked && mayHoldManyMarks(body);
    const ambiguous = !request.routeOptions.config.itemsOnTheirOwn && mayBeAmbiguous(body);
    void parseJson(request, body, (error, value) => {
      if (error) return done(error);
      if (suspect && holdsManyMarks(value)) return done(invalid('/', 'invalid_format', tooManyMarks));
      return done((ambiguous && ambiguityIn(value)) || null, value);
    });
  });
  app.addHook('preValidation', async (request: FastifyRequest) => {
    if (request.body === undefined && (request.method === 'POST' || request.method === 'PUT')) request.body = {};
  });
}

/** Why this body cannot be read: nothing here decodes it, or its route takes another media type. What a GET carries is not read. */
function mediaFault({ method, headers, routeOptions }: FastifyRequest): ApiError | null {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || method === 'GET' || method === 'HEAD') return null;
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without Content-Encoding.');
  }
  const { scope, takes = ['application/json'] } = routeOptions.config;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (scope === undefined || (type !== undefined && takes.includes(type))) return null;
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send ${takes.join(' or ')}.`);
}

/** Escapes count as marks here: what is meant is looked at only in a body that may have too many. */
function mayHoldManyMarks(json: string): boolean {
  for (const [run] of json.matchAll(/(?:\p{M}|\\u[\da-f]{4})+/giu)) if (run.length > mostMarks) return true;
  return false;
}

/** The deepest nesting of a JSON text, found without parsing it. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (quoted) {
      if (character === 92) index += 1;
      else if (character === 34) quoted = false;
    } else if (character === 34) quoted = true;
    else if (character === 91 || character === 123) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === 93 || character === 125) depth -= 1;
  }
  return deepest;
}
