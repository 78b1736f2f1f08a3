import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import type { Timeouts } from './upstreams.ts';

/** A body to forward. `again` makes it anew for a second attempt; undefined once some of it was sent. */
export type RequestBody = { length: number | undefined; content: Buffer | Readable | null; again: () => RequestBody | undefined };

/**
 * Bodies up to this size are read before they are forwarded, so that a second attempt can send them again. They get
 * little time to arrive: strangers may send no larger ones, and a slow one would hold a connection for next to nothing.
 */
const bufferedMax = 65_536;

const tooSlow = () => new ApiError('VALIDATION_ERROR', 'The request did not arrive in time.');
const tooLarge = (limit: number) => new ApiError('PAYLOAD_TOO_LARGE', `The body may have at most ${limit} bytes here; send less at once.`);

/** Refuses a body that says it is too large, before any of it is read. */
export function checkBodySize(req: IncomingMessage, limit: number) {
  if (lengthOf(req) > limit) throw tooLarge(limit);
}

type Patience = Pick<Timeouts, 'bodyMs' | 'smallBodyMs'>;

/** Whether there is something to forward. What a GET carries has no meaning, and services do not read it. */
export const hasBody = (req: IncomingMessage) =>
  req.method !== 'GET' && req.method !== 'HEAD' && (lengthOf(req) > 0 || req.headers['transfer-encoding'] !== undefined);

/** The body of this request, whole or as a stream that stops at the limit. It may neither stand still nor, when it is small, be slow. */
export async function requestBody(req: IncomingMessage, limit: number, { bodyMs, smallBodyMs }: Patience): Promise<RequestBody> {
  const length = lengthOf(req);
  const isSmall = limit <= bufferedMax || (req.headers['content-length'] !== undefined && length <= bufferedMax);
  const pieces = () => piecesOf(req, bodyMs, isSmall ? smallBodyMs : Number.POSITIVE_INFINITY);
  if (req.headers['content-length'] === undefined || length > bufferedMax) return streamed(req, limit, pieces);
  const chunks: Buffer[] = [];
  for await (const chunk of pieces()) chunks.push(chunk);
  return fixed(Buffer.concat(chunks), length);
}

export const noBody: RequestBody = { length: 0, content: null, again: () => noBody };

function fixed(content: Buffer, length: number): RequestBody {
  const body: RequestBody = { length, content, again: () => body };
  return body;
}

function streamed(req: IncomingMessage, limit: number, pieces: () => AsyncGenerator<Buffer>): RequestBody {
  let begun = false;
  async function* counted() {
    begun = true;
    let bytes = 0;
    for await (const chunk of pieces()) {
      bytes += chunk.length;
      if (bytes > limit) throw tooLarge(limit);
      yield chunk;
    }
  }
  const length = req.headers['content-length'] === undefined ? undefined : lengthOf(req);
  const make = (): RequestBody => ({
    length,
    content: Readable.from(counted(), { objectMode: false }),
    again: () => (begun ? undefined : make()),
  });
  return make();
}

/** The body as it comes. Only waiting for the client counts, not waiting for whoever takes the pieces. */
async function* piecesOf(req: IncomingMessage, idleMs: number, wholeMs: number): AsyncGenerator<Buffer> {
  let giveUp: (error: Error) => void = () => undefined;
  const patience = setTimeout(() => giveUp(tooSlow()), idleMs);
  const until = performance.now() + wholeMs;
  const source = req.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        giveUp = reject;
        patience.refresh();
        source.next().then(resolve, reject);
      });
      if (next.done) return;
      if (performance.now() > until) throw tooSlow();
      yield next.value;
    }
  } finally {
    clearTimeout(patience);
  }
}

/** Node has checked that it is a number and that it does not come beside Transfer-Encoding. */
const lengthOf = (req: IncomingMessage) => Number(req.headers['content-length'] ?? 0);
