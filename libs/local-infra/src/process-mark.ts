import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process and its start time, because a pid may be reused. */
export type ProcessMark = { pid: number; started: string };

export function markOf(pid: number): ProcessMark {
  const started = startOf(pid);
  if (started === undefined) throw new Error(`There is no process ${pid}.`);
  return { pid, started };
}

export const isAlive = (mark: ProcessMark): boolean => startOf(mark.pid) === mark.started;

export function isProcessMark(value: unknown): value is ProcessMark {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    Number.isInteger(value.pid) &&
    'started' in value &&
    typeof value.started === 'string'
  );
}

function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

function startFromProc(pid: number): string | undefined {
  const { state, started } = statOf(pid);
  return state === 'Z' ? undefined : started;
}

function statOf(pid: number): { name?: string | undefined; state?: string | undefined; parent?: number; started?: string | undefined } {
  try {
    // The name in parentheses may contain spaces and parentheses; the other fields follow the last one.
    const [, name, rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    const fields = rest.split(' ');
    return { name, state: fields[0], parent: Number(fields[1]), started: fields[19] };
  } catch {
    return {};
  }
}

/** The npm process that runs this script, with scripts/run.mjs and usually a shell in between. */
export function npmAbove(): ProcessMark | undefined {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const above = Number(process.env.LAUNCHER_PARENT ?? process.ppid);
  const { name, parent } = process.platform === 'linux' ? statOf(above) : psOf(above);
  const pid = /^-?(.*\/)?(ba|da|z)?sh$/.test(name ?? '') ? parent : above;
  return pid !== undefined && startOf(pid) !== undefined ? markOf(pid) : undefined;
}

function psOf(pid: number): { name?: string | undefined; parent?: number } {
  try {
    const [, parent, name] = /^\s*(\d+)\s+(.*?)\s*$/.exec(ps('ppid=,comm=', pid)) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return {};
  }
}

const ps = (columns: string, pid: number) =>
  execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function startFromPs(pid: number): string | undefined {
  try {
    const line = ps('stat=,lstart=', pid).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

/** Sends SIGTERM to a process, and SIGKILL if it is still running after `patienceMs`. */
export async function endProcess(mark: ProcessMark, patienceMs: number): Promise<void> {
  signal(mark, 'SIGTERM');
  const deadline = Date.now() + patienceMs;
  while (isAlive(mark) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  signal(mark, 'SIGKILL');
}

function signal(mark: ProcessMark, name: NodeJS.Signals): void {
  if (!isAlive(mark)) return;
  try {
    process.kill(mark.pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
