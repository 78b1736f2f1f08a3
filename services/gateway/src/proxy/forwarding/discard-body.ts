import type { IncomingMessage, ServerResponse } from 'node:http';

type Discarded = {
  /** More than this ends the connection. */
  bytesMax: number;
  /** So does standing still for this long. */
  idleMs: number;
  /** And this, however it comes. */
  totalMs: number;
};

/** What is read on of somebody who was refused. */
const ofRefused: Discarded = { bytesMax: 16 * 1_048_576, idleMs: 30_000, totalMs: 30_000 };

/**
 * Ends an answer that is through before its request is: the rest of the body is read and thrown away, because a client
 * that writes all before it reads would wait for ever, or lose the answer with the connection.
 */
export function endBeforeBody(req: IncomingMessage, res: ServerResponse, limits: Discarded = ofRefused) {
  const { bytesMax, idleMs, totalMs } = limits;
  // The last answer of a connection would take the connection with it.
  const isLast = !res.shouldKeepAlive || res.getHeader('connection') === 'close';
  if (!isLast) res.end();
  let discarded = 0;
  const giveUp = () => {
    res.end();
    req.destroy();
  };
  // A request whose answer is through does not hear when its connection ends: this must not keep a gateway that stops.
  const late = setTimeout(giveUp, totalMs).unref();
  const idle = setTimeout(giveUp, idleMs).unref();
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > bytesMax) giveUp();
    else idle.refresh();
  });
  req.once('end', () => res.end());
  req.once('close', () => {
    clearTimeout(late);
    clearTimeout(idle);
  });
  req.on('error', () => undefined);
  // Whoever was reading it does not any more, and would hold the rest back.
  req.removeAllListeners('readable');
  req.resume();
}
