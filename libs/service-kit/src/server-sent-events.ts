import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pause } from './backoff.ts';
import type { Suspended } from './suspensions.ts';

export const eventStreamType = 'text/event-stream';

/** A client reconnects after this long. */
const maxOpenMs = 5 * 60_000;

/** A response with server-sent events, as its source sees it. */
export type EventStream = {
  /**
   * Waits, and returns whether the stream continues. It ends when its time is up, its client has left, the process stops, or the
   * account is suspended; one that does not stay open ends at once.
   */
  continues: (afterMs: number) => Promise<boolean>;
};

type Open = { accountId: AccountId; ending: AbortController };

type Limits = {
  /** The open streams of this process. Each keeps a connection of the gateway. */
  max: number;
  maxPerAccount: number;
};

/**
 * The responses with server-sent events of one process. A client that accepts them keeps its response open; any other gets the events
 * so far. Half of the slots are kept for accounts that have no open stream, so that none takes the streams from the others.
 */
export function createEventStreams({ max, maxPerAccount, suspended }: Limits & { suspended: Pick<Suspended, 'has'> }) {
  const open = new Set<Open>();
  let stopped = false;

  function checkLimits(accountId: AccountId) {
    const own = [...open].filter((one) => one.accountId === accountId).length;
    if (own >= maxPerAccount)
      throw new ApiError('RATE_LIMITED', `At most ${maxPerAccount} streams may be open; close one first.`, { retryAfter: 10 });
    if (open.size >= (own === 0 ? max : max / 2))
      throw new ApiError('SERVICE_UNAVAILABLE', 'Too many streams are open; try again.', { retryAfter: 10 });
  }

  return {
    /** Sends the events that the source yields. */
    async send(request: FastifyRequest, reply: FastifyReply, source: (stream: EventStream) => Promise<AsyncIterable<string>>) {
      const { accountId } = request.principal;
      const staysOpen = request.method === 'GET' && request.headers.accept?.includes(eventStreamType) === true;
      if (suspended.has(accountId)) throw new ApiError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      const own: Open = { accountId, ending: new AbortController() };
      if (staysOpen) {
        checkLimits(accountId);
        open.add(own);
        // An idle connection would delay a stop of the process.
        reply.header('connection', 'close');
      }
      // Not when the source ends: it may wait for a query after its client has left.
      reply.raw.once('close', () => {
        open.delete(own);
        own.ending.abort();
      });
      const { signal } = own.ending;
      const endAt = performance.now() + (staysOpen ? maxOpenMs : 0);
      const isOver = () => stopped || signal.aborted || performance.now() >= endAt || suspended.has(accountId);
      const events = await source({
        async continues(afterMs) {
          if (!isOver() && afterMs > 0) await pause(afterMs, signal);
          return !isOver();
        },
      });
      return reply
        .type(`${eventStreamType}; charset=utf-8`)
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(Readable.from(events, { objectMode: false }));
    },

    start: () => undefined,

    async stop() {
      stopped = true;
      for (const { ending } of open) ending.abort();
    },
  };
}
