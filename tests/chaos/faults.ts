import { setTimeout as pause } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import type { startNatsServers } from '@mp/test-kit/nats-servers';
import type { TcpProxy } from '@mp/test-kit/tcp-proxy';
import fc from 'fast-check';
import type { Platform } from '../platform.ts';

const servers = ['mongodb', 'nats'] as const;
type Victim = ServiceName | (typeof servers)[number];

/** What happens to whom, and for how long. */
export type Fault = { kind: Kind; victim: Victim; forMs: number; pauseMs: number };

const seconds = (min: number, max: number) => fc.integer({ min: min * 1_000, max: max * 1_000 });
const service = fc.constantFrom(...serviceNames);
const server = fc.constantFrom(...servers);
const none = fc.constant(0);
type Kind = 'kill' | 'restart' | 'freeze' | 'clock' | 'cut' | 'slow' | 'fill' | 'wipe';

const fault = (kind: Kind, victim: fc.Arbitrary<Victim>, forMs: fc.Arbitrary<number>): fc.Arbitrary<Fault> =>
  fc.record({ kind: fc.constant(kind), victim, forMs, pauseMs: seconds(1, 6) });

const faults = fc.oneof(
  { weight: 6, arbitrary: fault('kill', service, none) },
  { weight: 2, arbitrary: fault('kill', server, none) },
  { weight: 2, arbitrary: fault('restart', fc.oneof(service, server), none) },
  { weight: 2, arbitrary: fault('freeze', fc.oneof(service, server), seconds(5, 30)) },
  { weight: 2, arbitrary: fault('cut', server, seconds(1, 8)) },
  { weight: 1, arbitrary: fault('slow', server, seconds(5, 15)) },
  { weight: 1, arbitrary: fault('clock', service, seconds(5, 15)) },
  { weight: 1, arbitrary: fault('fill', fc.constant('nats'), seconds(5, 15)) },
  { weight: 1, arbitrary: fault('wipe', fc.constant('nats'), none) },
);

/** The faults of a seed, in order. */
export const faultsOf = (seed: number, count: number): Fault[] =>
  fc.sample(fc.array(faults, { minLength: count, maxLength: count }), { seed, numRuns: 1 }).flat();

type Surroundings = {
  platform: Platform;
  nats: Awaited<ReturnType<typeof startNatsServers>>;
  proxies: Record<(typeof servers)[number], TcpProxy>;
};

const slowMs = 40;
export const clockStepMs = 90_000;

/** Does the harm, and undoes it after its time; resolves when the victim runs again. Nothing else helps the platform. */
export async function inflict({ platform, nats, proxies }: Surroundings, { kind, victim, forMs }: Fault): Promise<void> {
  const proxy = victim === 'mongodb' || victim === 'nats' ? proxies[victim] : undefined;
  if (proxy && kind === 'cut') {
    await proxy.close();
    await pause(forMs);
    return proxy.open();
  }
  if (proxy && kind === 'slow') {
    proxy.slow(slowMs);
    await pause(forMs);
    return proxy.slow(0);
  }
  if (victim === 'mongodb') {
    if (kind === 'kill') return platform.signalServer('mongodb', 'SIGKILL');
    if (kind === 'restart') return platform.signalServer('mongodb', 'SIGTERM');
    await platform.signalServer('mongodb', 'SIGSTOP');
    await pause(forMs);
    return platform.signalServer('mongodb', 'SIGCONT');
  }
  if (victim === 'nats') {
    if (kind === 'freeze') {
      nats.signal(0, 'SIGSTOP');
      await pause(forMs);
      return void nats.signal(0, 'SIGCONT');
    }
    await nats.kill(0, kind === 'restart' ? 'SIGTERM' : 'SIGKILL');
    if (kind === 'wipe') await nats.wipe(0);
    if (kind === 'fill') {
      nats.limitDisk(1);
      await nats.start(0);
      await pause(forMs);
      await nats.kill(0);
      nats.limitDisk();
    }
    return nats.start(0);
  }
  if (kind === 'freeze') {
    platform.signal(victim, 'SIGSTOP');
    await pause(forMs);
    return void platform.signal(victim, 'SIGCONT');
  }
  if (kind === 'clock') {
    platform.signal(victim, 'SIGWINCH');
    await pause(forMs);
    return void platform.signal(victim, 'SIGWINCH');
  }
  await platform.stop(victim, kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
  await platform.start(victim);
}

export const nameOf = ({ kind, victim, forMs }: Fault) => `${kind} ${victim}${forMs > 0 ? ` for ${(forMs / 1_000).toFixed(1)} s` : ''}`;
