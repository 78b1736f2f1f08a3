import type { ServiceName } from '@mp/contracts/services';
import { type CircuitBreaker, createCircuitBreaker } from '@mp/service-kit/circuit-breaker';
import { Pool } from 'undici';
import { type Connections, createConnections } from './connections.ts';
import { createSlowReaders, type SlowReaders } from './slow-readers.ts';
import { createUploadSlots, type UploadSlots } from './upload-slots.ts';

/** A service the gateway forwards to. */
export type Upstream = {
  name: ServiceName;
  pool: Pool;
  breaker: CircuitBreaker;
  connections: Connections;
  /** Large bodies being sent to the service. */
  uploads: UploadSlots;
  /** Responses that block a connection because their client does not read them. */
  slowReaders: SlowReaders;
};

export type Timeouts = {
  connectMs: number;
  /** Until the service begins to respond. */
  headersMs: number;
  /** Between two pieces of a body, in either direction; less for clients that send slowly. */
  bodyMs: number;
  /** For the whole exchange; for files, since the latest piece. */
  totalMs: number;
};

export const defaultTimeouts: Timeouts = { connectMs: 2_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 120_000 };

/** Shorter than the 75 s for which services keep idle connections, so that the gateway never writes to a closing one. */
const keepAliveMs = 30_000;
export const maxConnections = 128;

/**
 * Uploads may use a quarter of the connections. So may responses that their clients do not read, once other requests wait.
 * Half of the connections remain for complete requests.
 */
const maxUploads = maxConnections / 4;
const maxSlowReaders = maxConnections / 4;

export type Upstreams = ReturnType<typeof createUpstreams>;

/** One keep-alive pool and one circuit breaker per service. The gateway's own API is added once it listens. */
export function createUpstreams(
  urls: Partial<Record<ServiceName, string>>,
  now: (() => number) | undefined,
  timeouts: Timeouts = defaultTimeouts,
) {
  const upstreams = new Map<ServiceName, Upstream>();

  function add(name: ServiceName, url: string) {
    const pool = new Pool(url, {
      connections: maxConnections,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      connectTimeout: timeouts.connectMs,
      // forward.ts has its own timers. Undici's outlive each request by up to half a second, so at seven thousand requests a
      // second their objects would be promoted to the old generation and cause full collections.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    upstreams.set(name, {
      name,
      pool,
      breaker: createCircuitBreaker({ maxFailures: 10, pauseMs: 1_000, ...(now && { now }) }),
      connections: createConnections(maxConnections),
      uploads: createUploadSlots({
        max: maxUploads,
        maxPerAccount: maxUploads / 4,
        maxPerAddress: maxUploads / 2,
        maxWaiting: maxUploads * 2,
        waitMs: timeouts.headersMs,
      }),
      slowReaders: createSlowReaders(maxSlowReaders),
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
