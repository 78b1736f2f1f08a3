import { isUtf8 } from 'node:buffer';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ambiguityIn, mayBeAmbiguous } from './ambiguous-json.ts';
import { holdsManyMarks, maxMarks, maxUncheckedLength, tooManyMarks } from './combining-marks.ts';
import { jsonFault } from './json-fault.ts';

/** No valid request nests deeper, and deeper nesting could overflow the stack of code that walks the body. */
const maxDepth = 64;

/**
 * Accepts JSON bodies only. A JSON content type without a body is accepted, because many clients always send it, and the body of
 * a write defaults to `{}`. Fields named `__proto__` or `constructor.prototype` are rejected.
 */
export function acceptJson(app: FastifyInstance) {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addHook('preParsing', (request, _reply, payload, done) => done(mediaFault(request), payload));
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes)) return done(invalid('/', 'invalid_encoding', 'The body is not valid UTF-8; send JSON encoded as UTF-8.'));
    const body = bytes.toString();
    if (depthOf(body) > maxDepth) return done(invalid('/', 'invalid_json', `The body is nested more than ${maxDepth} levels deep.`));
    const suspect = body.length > maxUncheckedLength && mayHoldManyMarks(body);
    const ambiguous = !request.routeOptions.config.itemsOnTheirOwn && mayBeAmbiguous(body);
    void parseJson(request, body, (error, value) => {
      if (error) return done(faultOf(body) ?? error);
      if (suspect && holdsManyMarks(value)) return done(invalid('/', 'invalid_format', tooManyMarks));
      return done((ambiguous && ambiguityIn(value)) || null, value);
    });
  });
  app.addHook('preValidation', async (request: FastifyRequest) => {
    if (request.body === undefined && (request.method === 'POST' || request.method === 'PUT')) request.body = {};
  });
}

/** The error for a body that is not JSON; undefined for JSON with a field that is not accepted. */
function faultOf(body: string): ApiError | undefined {
  const fault = jsonFault(body);
  if (!fault) return undefined;
  const { line, column, position, reason } = fault;
  const message = `The body is not valid JSON: ${reason} (line ${line}, column ${column}).`;
  return new ApiError('VALIDATION_ERROR', message, { details: [{ path: '/', code: 'invalid_json', message, line, column, position }] });
}

/** The error for a body with an unsupported encoding or media type; null when it can be read. Bodies of GET requests are ignored. */
function mediaFault({ method, headers, routeOptions }: FastifyRequest): ApiError | null {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || method === 'GET' || method === 'HEAD') return null;
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  const { scope, consumes = ['application/json'], takesEncoded = false } = routeOptions.config;
  if (!takesEncoded && encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body uncompressed, without Content-Encoding.');
  }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (scope === undefined || (type !== undefined && consumes.includes(type))) return null;
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${consumes.join(' or ')}.`);
}

/** A cheap check that counts every escape as a combining mark; only bodies that fail it are checked exactly. */
function mayHoldManyMarks(json: string): boolean {
  for (const [run] of json.matchAll(/(?:\p{M}|\\u[\da-f]{4})+/giu)) if (run.length > maxMarks) return true;
  return false;
}

/** The nesting depth of a JSON text, found without parsing it. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (character === 34) index = endOfText(json, index + 1);
    else if (character === 91 || character === 123) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === 93 || character === 125) depth -= 1;
  }
  return deepest;
}

/** A native search is faster than a loop from about here. */
const longText = 1_000;

/** Where the text ends that begins at `from`. A long one without escapes, such as a file in base64, is skipped natively. */
function endOfText(json: string, from: number): number {
  for (let index = from; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (character === 34) return index;
    if (character === 92) index += 1;
    else if (index - from === longText) {
      const quote = json.indexOf('"', index);
      if (quote === -1) return json.length;
      if (!json.slice(index, quote).includes('\\')) return quote;
    }
  }
  return json.length;
}
