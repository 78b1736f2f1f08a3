import { createHash } from 'node:crypto';
import { windowMs } from '@mp/rules/duration';

/** A time within the window after `at`, evenly distributed over keys and always the same for one key. */
export function spreadOver(at: Date, window: string, key: string): Date {
  const share = createHash('sha256').update(key).digest().readUIntBE(0, 6) / 2 ** 48;
  return new Date(at.getTime() + Math.floor(share * windowMs(window)));
}
