import type { Background } from '@mp/service-kit/parts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';

export type LastUsed = ReturnType<typeof createLastUsed>;

const everyMs = 60_000;

/** Remembers when each key was last used and writes it once a minute: a write per request would make hot rows. */
export function createLastUsed({ touch, onError }: { touch: ApiKeysStore['touch']; onError: (error: unknown) => void }) {
  let usedAt = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function flush() {
    const batch = usedAt;
    usedAt = new Map();
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

  return { ...background, flush, note: (keyId: string, at: number) => void usedAt.set(keyId, at) };
}
