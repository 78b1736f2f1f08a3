import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import { pause } from '@mp/service-kit/backoff';
import type { Dispatcher } from 'undici';
import type { Ended, Exchange } from '../exchange.ts';
import { endBeforeBody } from './discard-body.ts';
import { relayedHeaders } from './forwarded-headers.ts';
import type { RequestBody } from './request-body.ts';
import { bodyTimeout, headersTimeout, isUnreachable, totalTimeout, upstreamError, wasReset } from './upstream-errors.ts';
import type { Upstream } from './upstreams.ts';

export type Forwarded = {
  headers: Record<string, string>;
  body: RequestBody;
  /** The maximum time until the response begins, after the whole request was sent. */
  headersMs: number;
  /** The maximum total time. Restarts with each piece of a body, in either direction. */
  totalMs: number;
  /** The maximum time between two pieces of the response, or of a request body that outlasts its response. */
  idleMs: number;
  /** Whose request this is: the account ID, or the network of an anonymous client. */
  caller: string;
  /** The maximum of bytes to read from a request body after the response is complete. */
  maxBodyBytes: number;
  /** Rejects a response before it is relayed, by throwing. */
  inspect: ((status: number) => void) | undefined;
  /** Called when the response is a stream of events, with a function that ends it. */
  onStream: ((end: () => void) => void) | undefined;
};

/** More requests in the queue would only time out. As many as the fastest account may run concurrently. */
const maxQueued = 5_000;
const secondAttemptMs = 50;

/** The maximum time to read the rest of an upload after the response is complete. */
const uploadMs = 10 * 60_000;

/**
 * Streams the request to the service and the response to the client. Resolves when the response has ended, with how it
 * ended; rejects with the error for the client if it has not begun.
 */
export function forward(exchange: Exchange, upstream: Upstream, forwarded: Forwarded): Promise<Ended> {
  const { breaker } = upstream;
  if (!breaker.allows() || upstream.connections.waiting() > maxQueued) return Promise.reject(unavailable(upstream.name));
  const giveUpAt = performance.now() + forwarded.headersMs;
  return attempt(exchange, upstream, forwarded, giveUpAt).then(
    (ended) => count(breaker, ended, forwarded.caller),
    async (error: unknown) => {
      const body = mayTryAgain(exchange, error) ? forwarded.body.again() : undefined;
      if (!body) throw failed(upstream, error, forwarded.caller);
      await pause(secondAttemptMs);
      return secondAttempt(exchange, upstream, { ...forwarded, body }, giveUpAt);
    },
  );
}

async function secondAttempt(exchange: Exchange, upstream: Upstream, forwarded: Forwarded, giveUpAt: number): Promise<Ended> {
  try {
    return count(upstream.breaker, await attempt(exchange, upstream, forwarded, giveUpAt), forwarded.caller);
  } catch (error) {
    throw failed(upstream, error, forwarded.caller);
  }
}

function count(breaker: Upstream['breaker'], ended: Ended, caller: string): Ended {
  if (ended === 'relayed') breaker.succeeded();
  if (ended === 'broken') breaker.failed(caller);
  return ended;
}

/** Whether a retry is safe: nothing was sent, or it was a read. */
const mayTryAgain = ({ method, res }: Exchange, error: unknown) =>
  !res.destroyed && !res.headersSent && (isUnreachable(error) || (wasReset(error) && (method === 'GET' || method === 'HEAD')));

function failed({ name, breaker }: Upstream, error: unknown, caller: string): unknown {
  const apiError = upstreamError(name, error);
  // The client's own faults say nothing about the service.
  if (apiError instanceof ApiError && apiError.code !== 'PAYLOAD_TOO_LARGE' && apiError !== error)
    breaker.failed(isUnreachable(error) ? undefined : caller);
  return apiError;
}

const unavailable = (service: string) =>
  new ApiError('SERVICE_UNAVAILABLE', `The ${service} service is temporarily unavailable; try again.`, { retryAfter: 2 });

/** Resolves when the response was relayed or aborted, or the client has left; rejects if it has not begun. */
function attempt(
  { req, res, headers: own, method, target }: Exchange,
  upstream: Upstream,
  { headers, body, headersMs, totalMs, caller, maxBodyBytes, idleMs, inspect, onStream }: Forwarded,
  giveUpAt: number,
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  let controller: Dispatcher.DispatchController | undefined;
  let left = false;
  let isOver = false;
  let isEnded = false;
  /** Set while the client does not read and the response is paused. */
  let unpause: (() => void) | undefined;
  let stopped: Error | undefined;
  const stop = (reason: Error) => {
    if (controller) return controller.abort(reason);
    // Not sent yet: settle now, and send nothing.
    stopped = reason;
    leaveQueue?.();
    forget();
    if (body.content instanceof Readable) body.content.destroy();
    if (left) resolve('client_left');
    else reject(reason);
  };
  const clientLeft = () => {
    if (res.writableFinished) return;
    left = true;
    stop(new Error('the client closed the connection'));
  };
  const total = setTimeout(() => stop(totalTimeout()), totalMs);
  /** Runs while the gateway waits for the service: for the start of the response, or its next piece. */
  let owed: NodeJS.Timeout | undefined;
  const isLate = () => {
    if (!unpause) stop(bodyTimeout());
  };
  let queued: NodeJS.Timeout | undefined;
  let leaveQueue: (() => void) | undefined;
  res.once('close', clientLeft);
  const forget = () => {
    clearTimeout(total);
    clearTimeout(owed);
    clearTimeout(queued);
    unpause?.();
    res.off('close', clientLeft);
  };
  const settle = () => {
    isOver = true;
    upstream.connections.release(caller);
    forget();
  };

  const send = () => {
    clearTimeout(queued);
    upstream.pool.dispatch(
      {
        method,
        path: target,
        headers: body.content === null || body.length === undefined ? headers : { ...headers, 'content-length': String(body.length) },
        body: body.content,
      },
      {
        onRequestStart(dispatch) {
          if (res.destroyed && !stopped) clientLeft();
          // Throw instead of aborting: nothing was sent, so the connection can be reused.
          if (stopped) throw stopped;
          controller = dispatch;
        },
        onBodySent() {
          total.refresh();
        },
        onRequestSent() {
          // Not earlier: no response is due while a file is being sent.
          if (!isOver && !res.headersSent) owed = setTimeout(() => stop(headersTimeout()), headersMs);
        },
        onResponseStart(dispatch, status, from) {
          if (status < 200) return;
          clearTimeout(owed);
          try {
            inspect?.(status);
            res.writeHead(status, relayedHeaders(own, from));
            owed = setTimeout(isLate, idleMs);
            if (String(from['content-type']).startsWith('text/event-stream')) {
              onStream?.(() => {
                isEnded = true;
                dispatch.abort(new Error('the request is no longer admitted'));
              });
            }
          } catch (error) {
            dispatch.abort(error instanceof Error ? error : new Error(String(error)));
          }
        },
        onResponseData(dispatch, chunk) {
          total.refresh();
          owed?.refresh();
          if (res.write(chunk)) return;
          dispatch.pause();
          unpause = upstream.slowReaders.add({ caller, abort: () => stop(new Error('another request needs the connection')) });
          if (upstream.connections.waiting() > 0) upstream.slowReaders.makeRoom();
          res.once('drain', () => {
            unpause?.();
            unpause = undefined;
            owed?.refresh();
            dispatch.resume();
          });
        },
        onResponseEnd() {
          settle();
          if (req.complete) res.end();
          else endBeforeBody(req, res, { maxBytes: maxBodyBytes, idleMs, totalMs: uploadMs });
          resolve('relayed');
        },
        onResponseError(_, error) {
          settle();
          if (stopped) return;
          if (!res.headersSent && !res.destroyed) return reject(error);
          // Each event is complete. A client that does not read would keep the response open.
          if (isEnded && !unpause) {
            res.end();
            return resolve('relayed');
          }
          // Destroy the connection of an incomplete response, so that it is never truncated silently.
          res.destroy();
          resolve(left || unpause || isEnded ? 'client_left' : 'broken');
        },
      },
    );
  };
  leaveQueue = upstream.connections.enter(caller, send);
  if (leaveQueue) {
    // The signed context is valid for a minute only, so a request must not stay in the queue for longer.
    queued = setTimeout(() => stop(unavailable(upstream.name)), Math.max(0, giveUpAt - performance.now()));
    upstream.slowReaders.makeRoom();
  }
  return promise;
}
