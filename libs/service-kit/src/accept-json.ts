import { invalid } from '@mp/contracts/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    if (depthOf(body) > maxDepth) return done(invalid('/', 'invalid_json', `The body nests deeper than ${maxDepth} levels.`));
    const suspect = body.length > mostTextUnchecked && mayHoldManyMarks(body);
    void parseJson(request, body, (error, value) =>
      done(error ?? (suspect && holdsManyMarks(value) ? invalid('/', 'invalid_format', tooManyMarks) : null), value),
    );
  });
  app.addHook('preValidation', async (request: FastifyRequest) => {
    if (request.body === undefined && (request.method === 'POST' || request.method === 'PUT')) request.body = {};
  });
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
