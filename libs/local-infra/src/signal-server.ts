import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './process-mark.ts';
import type { ServerName } from './server.ts';
import { readState } from './state.ts';

const aliveWithinMs = 20_000;

/**
 * Sends a signal to a server of the infrastructure in `dir`, for fault tests. The keeper restarts a server that ends; this waits for
 * one that is restarting.
 */
export async function signalServer(dir: string, name: ServerName, signal: NodeJS.Signals): Promise<void> {
  for (const giveUpAt = Date.now() + aliveWithinMs; Date.now() < giveUpAt; await sleep(20)) {
    const mark = readState(dir)?.servers[name]?.process;
    if (mark && isAlive(mark)) {
      process.kill(mark.pid, signal);
      return;
    }
  }
  throw new Error(`${name} in ${dir} is not running.`);
}
