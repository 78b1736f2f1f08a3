import { setTimeout as pause } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import type { Client } from '../client.ts';
import { startPlatform } from '../platform.ts';
import { startBalancer } from './balancer.ts';

type Test = Parameters<typeof startPlatform>[0];
type Options = { env: Record<string, string>; from?: string };

/** A platform of one replica of each service, each behind a balancer, whose replicas are replaced while it serves. */
export async function startRolling(t: Test, { env, ...version }: Options) {
  const gateways = await startBalancer(t);
  const balancers = new Map<ServiceName, typeof gateways>([['gateway', gateways]]);
  const urls: Record<string, string> = {};
  for (const name of serviceNames.filter((one) => one !== 'gateway')) {
    const balancer = await startBalancer(t);
    balancers.set(name, balancer);
    urls[`${name.toUpperCase()}_URL`] = balancer.url;
  }
  const platform = await startPlatform(t, {
    services: [],
    env: { SHUTDOWN_DELAY_MS: '2000', PUBLIC_URL: gateways.url, ...urls, ...env },
  });

  const running = new Map<ServiceName, Awaited<ReturnType<typeof platform.replica>>>();
  /** Adds a replica, then stops the one before it. */
  async function replace(name: ServiceName, its: { from?: string } = {}) {
    const balancer = balancers.get(name) ?? gateways;
    const next = await platform.replica(name, its);
    balancer.add(next.port);
    const old = running.get(name);
    await old?.stop();
    if (old) balancer.remove(old.port);
    running.set(name, next);
  }
  for (const name of serviceNames) await replace(name, version);
  return { platform, url: gateways.url, replace };
}

/** Reads and creates contacts until it is ended. A fault is a response of 5xx, or none. `pauseMs`: between the requests of each of eight workers. */
export function startLoad(client: Client, { name = 'w', pauseMs = 0 } = {}) {
  const faults: string[] = [];
  const created = new Set<string>();
  let requests = 0;
  let isLoading = true;
  async function work(worker: number) {
    for (let n = 0; isLoading; n += 1) {
      const email = `${name}${worker}-${n}@example.com`;
      const paths = ['/v2/contacts?limit=5', '/v2/segments', '/v2/campaigns', '/v2/workflows', '/v2/leadpulse/visitors'];
      const path = paths[n % paths.length] ?? '';
      try {
        const response = n % 2 === 0 ? await client.post('/v2/contacts', { email }) : await client.get(path);
        requests += 1;
        if (response.status >= 500)
          faults.push(`${response.status} ${n % 2 === 0 ? 'POST /v2/contacts' : path} ${JSON.stringify(response.error)}`);
        else if (response.status === 201) created.add(email);
      } catch (error) {
        faults.push(`lost ${n % 2 === 0 ? 'POST /v2/contacts' : path}: ${error instanceof Error ? error.cause : error}`);
      }
      if (pauseMs > 0) await pause(pauseMs);
    }
  }
  const workers = Array.from({ length: 8 }, (_, worker) => work(worker));
  return {
    faults,
    created,
    requests: () => requests,
    async end() {
      isLoading = false;
      await Promise.all(workers);
    },
  };
}
