import { pause } from '@mp/service-kit/backoff';
import type { Background } from '@mp/service-kit/parts';
import type { ApiKeysStore } from '../settings/api-keys/api-keys-store.ts';

export type LastUsed = ReturnType<typeof createLastUsed>;

const everyMs = 60_000;

/** Those of a minute are written over most of the next, so few at once: ten thousand in one go would hold up the requests that come meanwhile. */
const writtenOverMs = 45_000;
const writtenAtOnce = 25;

/**
 * Remembers when each key was last used and writes it once a minute: a write per request would make hot rows. What this
 * gateway has not written yet it still tells whoever asks it.
 */
export function createLastUsed({ touch, onError }: { touch: ApiKeysStore['touch']; onError: (error: unknown) => void }) {
  let usedAt = new Map<string, number>();
  let beingWritten: ReadonlyMap<string, number> = new Map();
  let flushing: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  async function write(overMs: number) {
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
      if (from + writtenAtOnce < batch.length) await pause(restMs, stopping.signal);
    }
  }

  /** One at a time: what comes while one runs is written by the next. */
  function flush(overMs = 0): Promise<void> {
    flushing = flushing.then(() => write(overMs));
    return flushing;
  }

  const background: Background = {
    start() {
      timer = setInterval(() => void flush(writtenOverMs), everyMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await flush();
    },
  };

  return {
    ...background,
    flush,
    note: (keyId: string, at: number) => void usedAt.set(keyId, at),

    /** When it was last used: as it was read, or as it is known here since. */
    of<Key extends { id: string; last_used_at: Date | null }>(key: Key): Key {
      const known = Math.max(usedAt.get(key.id) ?? 0, beingWritten.get(key.id) ?? 0);
      return known > (key.last_used_at?.getTime() ?? 0) ? { ...key, last_used_at: new Date(known) } : key;
    },
  };
}
