import { pause } from '@mp/service-kit/backoff';
import { createWriteBehind, type Pace } from '../quotas/write-behind.ts';

/** Writes when each of these keys and OAuth clients was last used, by id. */
type Touch = (usedAt: ReadonlyMap<string, number>) => Promise<void>;

export type LastUsed = ReturnType<typeof createLastUsed>;

/** The keys of one minute are written in small batches over most of the next; ten thousand at once would delay requests. */
const pace = { maxRows: Number.POSITIVE_INFINITY, overMs: 45_000 };
const writtenAtOnce = 25;

/**
 * Tracks when each key was last used and writes it once a minute, because a write per request would create hot rows.
 * Reads through this gateway include what it has not written yet.
 */
export function createLastUsed({ touch, onError }: { touch: Touch; onError: (error: unknown) => void }) {
  let usedAt = new Map<string, number>();
  let beingWritten: ReadonlyMap<string, number> = new Map();

  async function write({ overMs }: Pace, signal: AbortSignal) {
    const batch = [...usedAt];
    usedAt = new Map();
    beingWritten = new Map(batch);
    const restMs = (overMs * writtenAtOnce) / Math.max(1, batch.length);
    for (let from = 0; from < batch.length; from += writtenAtOnce) {
      try {
        await touch(new Map(batch.slice(from, from + writtenAtOnce)));
      } catch (error) {
        for (const [id, at] of batch.slice(from)) usedAt.set(id, Math.max(at, usedAt.get(id) ?? 0));
        onError(error);
        return;
      }
      if (from + writtenAtOnce < batch.length) await pause(restMs, signal);
    }
  }

  return {
    ...createWriteBehind({ everyMs: 60_000, pace, write }),
    note: (keyId: string, at: number) => void usedAt.set(keyId, at),

    /** The key with the later of the stored time and the one known to this gateway. */
    of<Key extends { id: string; last_used_at: Date | null }>(key: Key): Key {
      const known = Math.max(usedAt.get(key.id) ?? 0, beingWritten.get(key.id) ?? 0);
      return known > (key.last_used_at?.getTime() ?? 0) ? { ...key, last_used_at: new Date(known) } : key;
    },
  };
}
