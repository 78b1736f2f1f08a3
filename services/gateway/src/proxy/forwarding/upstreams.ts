import { Pool } from 'undici';
import type { ServiceName } from '../routes/route.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { createSlowReaders, type SlowReaders } from './slow-readers.ts';
import { createUploadSlots, type UploadSlots } from './upload-slots.ts';

/** A service the gateway forwards to. */
export type Upstream = {
  name: ServiceName;
  pool: Pool;
  breaker: CircuitBreaker;
  /** Requests that were dispatched and have not ended, waiting for a connection or not. */
  running: number;
  /** Large bodies that are on their way to it. */
  uploads: UploadSlots;
  /** Responses that hold a connection because their client does not read them. */
  slowReaders: SlowReaders;
};

export type Timeouts = {
  connectMs: number;
  /** Until the service begins to answer. */
  headersMs: number;
  /** Between two pieces of a body, the client's or the service's; a client that sends slowly has less. */
  bodyMs: number;
  /** From first to last; of a file from its latest piece. */
  totalMs: number;
};

export const defaultTimeouts: Timeouts = { connectMs: 2_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 120_000 };

/** Shorter than the 75 s for which services keep idle connections, so that we never write into a closing one. */
const keepAliveMs = 30_000;
export const connectionsMax = 128;

/**
 * Of which large bodies may have so many while they are sent, and responses that their clients do not read when others wait
 * for a connection: half of them remain for requests that are complete.
 */
const uploadsMax = connectionsMax / 4;
const slowReadersMax = connectionsMax / 4;

export type Upstreams = ReturnType<typeof createUpstreams>;

/** One keep-alive pool and one circuit breaker per service. The gateway's own API gets its address when it listens. */
export function createUpstreams(
  urls: Partial<Record<ServiceName, string>>,
  now: (() => number) | undefined,
  timeouts: Timeouts = defaultTimeouts,
) {
  const upstreams = new Map<ServiceName, Upstream>();

  function add(name: ServiceName, url: string) {
    const pool = new Pool(url, {
      connections: connectionsMax,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      connectTimeout: timeouts.connectMs,
      // forward.ts keeps time. Undici's timers for these outlive each request by up to half a second: what is made of seven
      // thousand a second grows old, and V8 has to collect the whole heap for it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    upstreams.set(name, {
      name,
      pool,
      breaker: createCircuitBreaker({ ...(now && { now }) }),
      running: 0,
      uploads: createUploadSlots({
        max: uploadsMax,
        perAccountMax: uploadsMax / 4,
        perAddressMax: uploadsMax / 2,
        waitingMax: uploadsMax * 2,
        waitMs: timeouts.headersMs,
      }),
      slowReaders: createSlowReaders(slowReadersMax),
    });
  }

  for (const name of Object.keys(urls) as ServiceName[]) {
    const url = urls[name];
    if (url !== undefined) add(name, url);
  }

  return {
    add,
    timeouts,
    find: (name: ServiceName) => upstreams.get(name),
    stop: async () => {
      await Promise.all([...upstreams.values()].map(({ pool }) => pool.destroy()));
    },
  };
}
