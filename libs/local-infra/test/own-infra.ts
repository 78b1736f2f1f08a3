import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type ProcessMark } from '../src/process-mark.ts';
import { type KeeperState, readState } from '../src/state.ts';

// `npm test` gives every test a database; these tests are about starting one.
delete process.env.MONGODB_URL;
delete process.env.NATS_URL;
delete process.env.INFRA_MONGODB_PORT;
delete process.env.INFRA_NATS_PORT;
process.env.INFRA_LINGER_MS = '500';

/** Starts a process that holds the infrastructure of `dir`, and returns its output. */
export async function startHolder(dir: string): Promise<{ holder: ChildProcess; urls: unknown }> {
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'holder.ts'), dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: holder.stdout }), 'line');
  return { holder, urls: JSON.parse(String(line)) };
}

export function stateOf(dir: string): KeeperState {
  const state = readState(dir);
  if (!state) throw new Error(`${dir} has no keeper`);
  return state;
}

/** Every process of the infrastructure of `dir`: keeper, mongod, nats-server. */
export function processesOf(dir: string): ProcessMark[] {
  const { keeper, servers } = stateOf(dir);
  return [keeper, ...Object.values(servers).flatMap(({ process: mark }) => (mark ? [mark] : []))];
}

export const untilGone = (marks: readonly ProcessMark[], withinMs = 60_000): Promise<void> =>
  until(() => !marks.some(isAlive), `${marks.filter(isAlive).length} processes to end`, withinMs);

export async function until(condition: () => boolean | Promise<boolean>, what: string, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain for ${what}.`);
    await sleep(50);
  }
}
