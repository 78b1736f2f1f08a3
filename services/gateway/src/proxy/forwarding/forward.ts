import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import { pause } from '@mp/service-kit/backoff';
import type { Dispatcher } from 'undici';
import type { Exchange } from '../listener/exchange.ts';
import { endBeforeBody } from './discard-body.ts';
import { relayedHeaders } from './forwarded-headers.ts';
import type { RequestBody } from './request-body.ts';
import { bodyTimeout, headersTimeout, isUnreachable, totalTimeout, upstreamError, wasReset } from './upstream-errors.ts';
import { connectionsMax, type Upstream } from './upstreams.ts';

export type Forwarded = {
  headers: Record<string, string>;
  body: RequestBody;
  /** Until the service begins to answer, once it has the whole body. */
  headersMs: number;
  /** How long it may take; a file that is on its way, up or down, only how long it may stand still. */
  totalMs: number;
  /** Between two pieces of a body, the service's or, once its answer is through, the client's. */
  idleMs: number;
  /** Whose request this is: the account's, or a stranger's address. */
  caller: string;
  /** How much may be read on of a body whose answer is through. */
  bodyMax: number;
  /** Says no to an answer before it begins, by throwing. */
  inspect: ((status: number) => void) | undefined;
};

/** More waiting than this would only time out. As many as the fastest account may have at once. */
const queuedMax = 5_000;
const runningMax = connectionsMax + queuedMax;
const secondAttemptMs = 50;

/** A file that nobody wants any more is read on for so long at most. */
const uploadMs = 10 * 60_000;

/** How an answer that had begun came to its end. A client that does not take it, or that left before, says nothing about the service. */
export type Ended = 'relayed' | 'client_left' | 'broken';

/**
 * Sends the request to the service and its answer to the client, both as streams. Resolves when the answer is through
 * or broken off, with how it ended; throws what to tell the client when it has not begun.
 */
export function forward(exchange: Exchange, upstream: Upstream, forwarded: Forwarded): Promise<Ended> {
  const { breaker } = upstream;
  if (!breaker.allows() || upstream.running > runningMax) return Promise.reject(away(upstream.name));
  const giveUpAt = performance.now() + forwarded.headersMs;
  return attempt(exchange, upstream, forwarded, giveUpAt).then(
    (ended) => count(breaker, ended),
    (error: unknown) => secondAttempt(exchange, upstream, forwarded, giveUpAt, error),
  );
}

async function secondAttempt(
  exchange: Exchange,
  upstream: Upstream,
  forwarded: Forwarded,
  giveUpAt: number,
  error: unknown,
): Promise<Ended> {
  const body = mayTryAgain(exchange, error) ? forwarded.body.again() : undefined;
  if (!body) throw failed(upstream, error);
  await pause(secondAttemptMs);
  try {
    return count(upstream.breaker, await attempt(exchange, upstream, { ...forwarded, body }, giveUpAt));
  } catch (second) {
    throw failed(upstream, second);
  }
}

function count(breaker: Upstream['breaker'], ended: Ended): Ended {
  if (ended === 'relayed') breaker.succeeded();
  if (ended === 'broken') breaker.failed();
  return ended;
}

/** Nothing was sent, or it was a read: sending it (again) changes nothing. */
const mayTryAgain = ({ method, res }: Exchange, error: unknown) =>
  !res.destroyed && !res.headersSent && (isUnreachable(error) || (wasReset(error) && (method === 'GET' || method === 'HEAD')));

function failed({ name, breaker }: Upstream, error: unknown): unknown {
  const told = upstreamError(name, error);
  // The client's own fault, or its leaving, says nothing about the service.
  if (told instanceof ApiError && told.code !== 'PAYLOAD_TOO_LARGE' && told !== error) breaker.failed();
  return told;
}

const away = (service: string) =>
  new ApiError('SERVICE_UNAVAILABLE', `The ${service} service is away for the moment; try again.`, { retryAfter: 2 });

/** Resolves when the answer has been relayed or broken off, or the client is gone; rejects when it has not begun. */
function attempt(
  { req, res, headers: own, method, target }: Exchange,
  upstream: Upstream,
  { headers, body, headersMs, totalMs, caller, bodyMax, idleMs, inspect }: Forwarded,
  giveUpAt: number,
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  let controller: Dispatcher.DispatchController | undefined;
  let left = false;
  let isOver = false;
  /** Defined while the client stands still, and the answer with it. */
  let goesOn: (() => void) | undefined;
  let stopped: Error | undefined;
  const stop = (reason: Error) => {
    if (controller) return controller.abort(reason);
    // Still waiting for a connection: nobody waits with it, and nothing is sent when its turn comes.
    stopped = reason;
    forget();
    if (body.content instanceof Readable) body.content.destroy();
    if (left) resolve('client_left');
    else reject(reason);
  };
  const clientLeft = () => {
    if (res.writableFinished) return;
    left = true;
    stop(new Error('the client hung up'));
  };
  const total = setTimeout(() => stop(totalTimeout()), totalMs);
  /** Runs while the service owes the beginning of its answer, or the next piece of it. */
  let owed: NodeJS.Timeout | undefined;
  const isLate = () => {
    if (!goesOn) stop(bodyTimeout());
  };
  // What the service would get later than this it might not believe any more: who asks is signed for a minute.
  const isFull = upstream.running >= connectionsMax;
  const queued = isFull ? setTimeout(() => stop(away(upstream.name)), Math.max(0, giveUpAt - performance.now())) : undefined;
  if (isFull) upstream.slowReaders.makeRoom();
  res.once('close', clientLeft);
  upstream.running += 1;
  const forget = () => {
    clearTimeout(total);
    clearTimeout(owed);
    clearTimeout(queued);
    goesOn?.();
    res.off('close', clientLeft);
  };
  const settle = () => {
    isOver = true;
    upstream.running -= 1;
    forget();
  };

  upstream.pool.dispatch(
    {
      method,
      path: target,
      headers: body.content === null || body.length === undefined ? headers : { ...headers, 'content-length': String(body.length) },
      body: body.content,
    },
    {
      onRequestStart(dispatch) {
        clearTimeout(queued);
        if (res.destroyed && !stopped) clientLeft();
        // Thrown and not aborted: nothing was sent, and the connection is as good as before.
        if (stopped) throw stopped;
        controller = dispatch;
      },
      onBodySent() {
        total.refresh();
      },
      onRequestSent() {
        // Not before: while a file is on its way nobody owes an answer yet.
        if (!isOver && !res.headersSent) owed = setTimeout(() => stop(headersTimeout()), headersMs);
      },
      onResponseStart(dispatch, status, from) {
        if (status < 200) return;
        clearTimeout(owed);
        try {
          inspect?.(status);
          res.writeHead(status, relayedHeaders(own, from));
          owed = setTimeout(isLate, idleMs);
        } catch (error) {
          dispatch.abort(error instanceof Error ? error : new Error(String(error)));
        }
      },
      onResponseData(dispatch, chunk) {
        total.refresh();
        owed?.refresh();
        if (res.write(chunk)) return;
        dispatch.pause();
        goesOn = upstream.slowReaders.add({ caller, abort: () => stop(new Error('others need the connection')) });
        if (upstream.running > connectionsMax) upstream.slowReaders.makeRoom();
        res.once('drain', () => {
          goesOn?.();
          goesOn = undefined;
          owed?.refresh();
          dispatch.resume();
        });
      },
      onResponseEnd() {
        settle();
        if (req.complete) res.end();
        else endBeforeBody(req, res, { bytesMax: bodyMax, idleMs, totalMs: uploadMs });
        resolve('relayed');
      },
      onResponseError(_, error) {
        settle();
        if (stopped) return;
        if (!res.headersSent && !res.destroyed) return reject(error);
        // A half-sent answer ends the connection: it is never completed into a lie.
        res.destroy();
        resolve(left || goesOn ? 'client_left' : 'broken');
      },
    },
  );
  return promise;
}
