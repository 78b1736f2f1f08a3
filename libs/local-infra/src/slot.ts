import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from './lock.ts';

const pollMs = 300;

/** Takes one of `slots` places that all processes with this folder share. Waits for a free one; a killed holder frees its place. */
export async function takeSlot(folder: string, slots: number): Promise<{ free: () => void }> {
  for (;;) {
    for (let slot = 0; slot < slots; slot++) {
      const free = tryLock(join(folder, `${slot}.lock`));
      if (free) return { free };
    }
    await sleep(pollMs);
  }
}
