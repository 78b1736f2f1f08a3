import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from './lock.ts';

const pollMs = 200;

/** Runs `work` in one of `slots` places that all processes with this folder share. Waits for a free one. */
export async function withSlot<T>(folder: string, slots: number, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true });
  for (;;) {
    for (let slot = 0; slot < slots; slot++) {
      const release = tryLock(join(folder, `${slot}.lock`));
      if (!release) continue;
      try {
        return await work();
      } finally {
        release();
      }
    }
    await sleep(pollMs);
  }
}
