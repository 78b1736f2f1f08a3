import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import type { BodyMemory, HeldBody } from './body-memory.ts';

/** A body to forward. `again` makes it anew for a second attempt; undefined once some of it was sent. */
export type RequestBody = { length: number | undefined; content: Buffer | Readable | null; again: () => RequestBody | undefined };

/**
 * Bodies up to this size are read completely before a connection to a service is taken, whatever their framing: a client
 * that sends slowly holds memory, which is bounded, and no connection. Only files and batches are larger.
 */
export const completeMax = 1_048_576;

/** What a piece takes beside its bytes: a body may come in a million of them. */
const pieceBytes = 256;

/** A client that sends less than this is given up when it has used up its patience. About that of the slowest mobile networks. */
const bytesPerMs = 2_048 / 1_000;

const tooSlow = () => new ApiError('VALIDATION_ERROR', 'The request did not arrive in time.');
const tooLarge = (limit: number) => new ApiError('PAYLOAD_TOO_LARGE', `The body may have at most ${limit} bytes here; send less at once.`);

/** Refuses a body that says it is too large, before any of it is read. */
export function checkBodySize(req: IncomingMessage, limit: number) {
  if (lengthOf(req) > limit) throw tooLarge(limit);
}

/** Whether there is something to forward. What a GET carries has no meaning, and services do not read it. */
export const hasBody = (req: IncomingMessage) =>
  req.method !== 'GET' && req.method !== 'HEAD' && (lengthOf(req) > 0 || req.headers['transfer-encoding'] !== undefined);

export type Reading = {
  limit: number;
  /** How long the client may stand still; what it sends slowly counts as standing still in part. */
  patienceMs: number;
  memory: BodyMemory;
  /** Whose memory this is: the account's, or a stranger's address. */
  caller: string;
  /** The body takes memory from here on, until `memory.release`. */
  onHeld: (body: HeldBody) => void;
  /** Waits until a body that is larger than `completeMax` may be sent. Answers what to call when all of it was read. */
  enterUpload: () => Promise<() => void>;
};

export const noBody: RequestBody = { length: 0, content: null, again: () => noBody };

/**
 * The body of this request: complete, or, when it is larger than `completeMax`, as a stream with a share of the service's
 * connections. At once when it came together with the headers, which is what most do.
 */
export function requestBody(req: IncomingMessage, reading: Reading): RequestBody | Promise<RequestBody> {
  const length = lengthOf(req);
  // Node says that a request is complete only after whoever waited for its body has gone on.
  const isHere = req.complete || (length > 0 && req.readableLength === length);
  if (!isHere) return length > completeMax ? streamed(req, reading) : gathered(req, reading);
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

/** Reads the body until its end; one of unknown length that grows beyond `completeMax` goes on as a stream. */
async function gathered(req: IncomingMessage, reading: Reading): Promise<RequestBody> {
  const { limit, memory } = reading;
  const pieces = piecesOf(req, reading.patienceMs);
  const held = memory.open(reading.caller, pieces.giveUp);
  reading.onHeld(held);
  const chunks: Buffer[] = [];
  for (let size = 0; size <= completeMax; ) {
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

/** What of a stream was read before, and what to call when it was sent on: a file may take an hour from there. */
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
 * The body as it comes. Only waiting for the client counts, not waiting for whoever takes the pieces: patience is lost with
 * time and won back with bytes.
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

/** Node has checked that it is a number and that it does not come beside Transfer-Encoding. */
const lengthOf = (req: IncomingMessage) => Number(req.headers['content-length'] ?? 0);
