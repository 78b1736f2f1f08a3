import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './process-mark.ts';
import type { ServerName } from './server.ts';
import { readState } from './state.ts';

const aliveWithinMs = 20_000;

/**
 * Signals a server of the infrastructure in `dir`, for tests of faults; one that dies is started again by its keeper, and
 * one that has just died is waited for.
 */
export async function signalServer(dir: string, name: ServerName, signal: NodeJS.Signals): Promise<void> {
  for (const giveUpAt = Date.now() + aliveWithinMs; Date.now() < giveUpAt; await sleep(20)) {
    const mark = readState(dir)?.servers[name]?.process;
    if (mark && isAlive(mark)) {
      process.kill(mark.pid, signal);
      return;
    }
  }
  throw new Error(`${name} of ${dir} does not run.`);
}
