import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process and when it started: the pid alone may belong to somebody else by now. */
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
  try {
    // The name in brackets may itself hold spaces and brackets; state and start time are counted from its end.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(')').at(-1)?.trim().split(' ') ?? [];
    const [state, start] = [fields[0], fields[19]];
    return state === 'Z' ? undefined : start;
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

/** Asks a process to end, and ends it when it has not within `patienceMs`. */
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
