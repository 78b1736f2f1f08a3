import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process holds the lock at `path`.
 *
 * The lock is a file lock of SQLite. The kernel releases it when its holder ends in any way, so there are no stale locks and no pids
 * to check.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, { waitMs = 60_000, onWait = () => {} } = {}): Promise<T> {
  const deadline = Date.now() + waitMs;
  let reported = false;
  for (;;) {
    const release = tryLock(path);
    if (release) {
      try {
        return await work();
      } finally {
        release();
      }
    }
    if (Date.now() > deadline) throw new Error(`Another process has held ${path} for ${waitMs / 1000} s.`);
    if (!reported) onWait();
    reported = true;
    await sleep(50);
  }
}

/** Takes the lock at `path` and returns what releases it; undefined while another process, or another holder in this one, has it. */
export function tryLock(path: string): (() => void) | undefined {
  mkdirSync(dirname(path), { recursive: true });
  const lock = new DatabaseSync(path);
  if (claim(lock)) return () => lock.close();
  lock.close();
  return undefined;
}

function claim(lock: DatabaseSync): boolean {
  try {
    lock.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    const busy = 5;
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return false;
    throw error;
  }
}
