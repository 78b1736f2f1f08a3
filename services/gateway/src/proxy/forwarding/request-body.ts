import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import type { BodyMemory, HeldBody } from './body-memory.ts';

/** A body to forward. `again` returns it for a second attempt, or undefined once part of a stream was sent. */
export type RequestBody = { length: number | undefined; content: Buffer | Readable | null; again: () => RequestBody | undefined };

/**
 * Bodies up to this size are read completely before a service connection is used, so that a slow client holds only memory,
 * which is limited, and no connection. Only files and batches are larger.
 */
export const maxBufferedBytes = 1_048_576;

/** The memory overhead per piece; a body may arrive in a million pieces. */
const pieceBytes = 256;

/** Clients slower than this use up their patience and are aborted. About the speed of the slowest mobile networks. */
const bytesPerMs = 2_048 / 1_000;

const tooSlow = () => new ApiError('VALIDATION_ERROR', 'The request did not arrive in time.');
const tooLarge = (limit: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', `The request body is limited to ${limit} bytes here; send less per request.`);

/** Throws if the declared length is too large, before reading any of the body. */
export function checkBodySize(req: IncomingMessage, limit: number) {
  if (lengthOf(req) > limit) throw tooLarge(limit);
}

/** Whether there is a body to forward. A body of a GET has no meaning, and services do not read it. */
export const hasBody = (req: IncomingMessage) =>
  req.method !== 'GET' && req.method !== 'HEAD' && (lengthOf(req) > 0 || req.headers['transfer-encoding'] !== undefined);

export type Reading = {
  limit: number;
  /** How long the client may pause; sending slowly counts partly as pausing. */
  patienceMs: number;
  memory: BodyMemory;
  /** Who is charged for the memory: the account ID, or the network of an anonymous client. */
  caller: string;
  /** Called when the body begins to use memory, until `memory.release`. */
  onHeld: (body: HeldBody) => void;
  /** Waits until a body larger than `maxBufferedBytes` may be sent. Returns a function to call when it has been read. */
  enterUpload: () => Promise<() => void>;
};

export const noBody: RequestBody = { length: 0, content: null, again: () => noBody };

/**
 * The body of this request: complete, or as a stream with an upload slot if it is larger than `maxBufferedBytes`. Synchronous if
 * it arrived together with the headers, as most do.
 */
export function requestBody(req: IncomingMessage, reading: Reading): RequestBody | Promise<RequestBody> {
  const length = lengthOf(req);
  // Node sets `complete` only after readers have consumed the body, so also compare the buffered length.
  const isHere = req.complete || (length > 0 && req.readableLength === length);
  if (!isHere) return length > maxBufferedBytes ? streamed(req, reading) : gathered(req, reading);
  const content: Buffer = req.read() ?? Buffer.alloc(0);
  if (content.length > reading.limit) throw tooLarge(reading.limit);
  const held = reading.memory.open(reading.caller, undefined);
  reading.onHeld(held);
  reading.memory.add(held, content.length);
  return fixed(content);
}

function fixed(content: Buffer): RequestBody {
  if (content.length === 0) return noBody;
  const body: RequestBody = { length: content.length, content, again: () => body };
  return body;
}

/** Reads the whole body. One of unknown length that grows beyond `maxBufferedBytes` continues as a stream. */
async function gathered(req: IncomingMessage, reading: Reading): Promise<RequestBody> {
  const { limit, memory } = reading;
  const pieces = piecesOf(req, reading.patienceMs);
  const held = memory.open(reading.caller, pieces.giveUp);
  reading.onHeld(held);
  const chunks: Buffer[] = [];
  for (let size = 0; size <= maxBufferedBytes; ) {
    const { done, value } = await pieces.next();
    if (done) {
      memory.arrived(held);
      return fixed(Buffer.concat(chunks));
    }
    size += value.length;
    if (size > limit) throw tooLarge(limit);
    memory.add(held, value.length + pieceBytes);
    chunks.push(value);
  }
  memory.arrived(held);
  return streamed(req, reading, { chunks, sent: () => memory.release(held) }, pieces);
}

/** The part of a stream that was already read; `sent` is called when it was sent, because the rest may take an hour. */
type Begun = { chunks: Buffer[]; sent: () => void };

async function streamed(
  req: IncomingMessage,
  { limit, patienceMs, enterUpload }: Reading,
  begun: Begun = { chunks: [], sent: () => undefined },
  rest = piecesOf(req, patienceMs),
): Promise<RequestBody> {
  const leave = await enterUpload();
  let sent = false;
  async function* counted() {
    sent = true;
    try {
      let bytes = 0;
      for (let chunk = begun.chunks.shift(); chunk; chunk = begun.chunks.shift()) {
        bytes += chunk.length;
        yield chunk;
      }
      begun.sent();
      for (;;) {
        const { done, value } = await rest.next();
        if (done) return;
        bytes += value.length;
        if (bytes > limit) throw tooLarge(limit);
        yield value;
      }
    } finally {
      leave();
    }
  }
  const length = req.headers['content-length'] === undefined ? undefined : lengthOf(req);
  const make = (): RequestBody => ({
    length,
    content: Readable.from(counted(), { objectMode: false }),
    again: () => (sent ? undefined : make()),
  });
  return make();
}

/**
 * The pieces of the body as they arrive. The client's patience decreases while the gateway waits for it, not while a reader
 * processes a piece, and increases with each byte received.
 */
function piecesOf(req: IncomingMessage, patienceMs: number) {
  const source = req.iterator({ destroyOnReturn: false });
  let patience = patienceMs;
  let given: Error | undefined;
  let reject: (error: Error) => void = () => undefined;
  const giveUp = (error: Error) => {
    given = error;
    reject(error);
  };

  return {
    giveUp,

    async next(): Promise<IteratorResult<Buffer, undefined>> {
      if (given) throw given;
      const began = performance.now();
      let late: NodeJS.Timeout | undefined;
      try {
        const next = await new Promise<IteratorResult<Buffer, undefined>>((resolve, rejected) => {
          reject = rejected;
          late = setTimeout(() => giveUp(tooSlow()), patienceMs);
          source.next().then(resolve, rejected);
        });
        if (next.done) return next;
        patience = Math.min(patienceMs, patience - (performance.now() - began) + next.value.length / bytesPerMs);
        if (patience <= 0) throw tooSlow();
        return next;
      } finally {
        clearTimeout(late);
      }
    },
  };
}

/** Node has already checked that this is a number and that Transfer-Encoding is absent. */
const lengthOf = (req: IncomingMessage) => Number(req.headers['content-length'] ?? 0);
