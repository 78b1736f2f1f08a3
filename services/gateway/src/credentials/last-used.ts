import type { Background } from '@mp/service-kit/parts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';

export type LastUsed = ReturnType<typeof createLastUsed>;

const everyMs = 60_000;

/**
 * Remembers when each key was last used and writes it once a minute: a write per request would make hot rows. What this
 * gateway has not written yet it still tells whoever asks it.
 */
export function createLastUsed({ touch, onError }: { touch: ApiKeysStore['touch']; onError: (error: unknown) => void }) {
  let usedAt = new Map<string, number>();
  let beingWritten: ReadonlyMap<string, number> = new Map();
  let timer: NodeJS.Timeout | undefined;

  async function flush() {
    const batch = usedAt;
    usedAt = new Map();
    beingWritten = batch;
    try {
      await touch(batch);
    } catch (error) {
      for (const [id, at] of batch) usedAt.set(id, Math.max(at, usedAt.get(id) ?? 0));
      onError(error);
    }
  }

  const background: Background = {
    start() {
      timer = setInterval(() => void flush(), everyMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
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
