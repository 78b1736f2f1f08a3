import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** The measured process has one core to itself; load, upstream and servers share the other. */
export const measuredCore = 0;
export const otherCore = 1;

const hasTaskset = cpus().length > 1 && found('taskset');

export function found(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const pinning = hasTaskset
  ? `the gateway on core ${measuredCore}, load, upstream, MongoDB and Redis on core ${otherCore}`
  : 'without pinning to cores';

/** A command and its arguments, pinned to one core if taskset is available. */
export const onCore = (core: number, command: string, args: readonly string[]): [string, string[]] =>
  hasTaskset ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];

/** Pins a running process with all its threads. */
export function pin(pid: number, core: number) {
  if (hasTaskset) execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
}

/** Starts a process on one core and waits until it prints that it is ready, or until `ready` resolves. */
export async function startPinned(
  core: number,
  command: string,
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; ready?: () => Promise<boolean> },
): Promise<ChildProcess> {
  const { env = {}, cwd, ready } = options;
  const child = spawn(...onCore(core, command, args), { env: { ...process.env, ...env }, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${args.join(' ')} ended with ${code} before it was ready.`);
  });
  ended.catch(() => undefined);
  const said = ready ? poll(ready) : once(child.stdout, 'data');
  await Promise.race([said, ended]);
  child.stdout.resume();
  return child;
}

async function poll(ready: () => Promise<boolean>) {
  while (!(await ready().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** The CPU seconds that a process has used (Linux), and its resident memory in MiB. */
export async function resourcesOf(pid: number): Promise<{ cpuSeconds: number; residentMiB: number }> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).replace(/^.*\) /, '').split(' ');
  const [user = Number.NaN, system = Number.NaN, pages = Number.NaN] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpuSeconds: (user + system) / 100, residentMiB: (pages * 4_096) / 2 ** 20 };
}

export async function endProcess(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
