import type { IncomingMessage, ServerResponse } from 'node:http';

type Discarded = {
  /** Closes the connection after this many bytes. */
  maxBytes: number;
  /** Closes it after this long without data. */
  idleMs: number;
  /** Closes it after this long in total. */
  totalMs: number;
};

/** The limits for rejected requests. */
const ofRefused: Discarded = { maxBytes: 16 * 1_048_576, idleMs: 30_000, totalMs: 30_000 };

/**
 * Ends a response that is complete before its request is. Reads and discards the rest of the body, because a client that
 * writes everything before it reads would otherwise hang, or lose the response with the connection.
 */
export function endBeforeBody(req: IncomingMessage, res: ServerResponse, limits: Discarded = ofRefused) {
  const { maxBytes, idleMs, totalMs } = limits;
  // Ending the last response of a connection would close it.
  const isLast = !res.shouldKeepAlive || res.getHeader('connection') === 'close';
  if (!isLast) res.end();
  let discarded = 0;
  const giveUp = () => {
    res.end();
    req.destroy();
  };
  // A request with an ended response gets no event when its connection closes. Unref'd, so that the gateway can stop.
  const late = setTimeout(giveUp, totalMs).unref();
  const idle = setTimeout(giveUp, idleMs).unref();
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxBytes) giveUp();
    else idle.refresh();
  });
  req.once('end', () => res.end());
  req.once('close', () => {
    clearTimeout(late);
    clearTimeout(idle);
  });
  req.on('error', () => undefined);
  // Remove the previous reader, which would block the flow.
  req.removeAllListeners('readable');
  req.resume();
}
