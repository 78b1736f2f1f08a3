import type { ServerResponse } from 'node:http';
import { ApiError } from '@mp/contracts/errors';

export type UploadSlots = ReturnType<typeof createUploadSlots>;

/** Who uploads. Accounts and addresses have separate limits. */
export type Uploader = { account: string; address: string };

type Waiting = { uploader: Uploader; start: () => void };

type Config = { max: number; maxPerAccount: number; maxPerAddress: number; maxWaiting: number; waitMs: number };

const full = () => new ApiError('SERVICE_UNAVAILABLE', 'Too many concurrent uploads; try again.', { retryAfter: 5 });

const clientLeft = () => new Error('the client disconnected while its upload was queued');

/**
 * Limits concurrent uploads (large bodies) to one service: in total, per account, and per address. Others wait in order, with
 * their bytes unread. An upload that waits too long is rejected.
 */
export function createUploadSlots({ max, maxPerAccount, maxPerAddress, maxWaiting, waitMs }: Config) {
  const running = new Set<Uploader>();
  const waiting = new Set<Waiting>();

  function mayStart({ account, address }: Uploader): boolean {
    if (running.size >= max) return false;
    let [ofAccount, ofAddress] = [0, 0];
    for (const other of running) {
      if (other.account === account) ofAccount += 1;
      if (other.address === address) ofAddress += 1;
    }
    return ofAccount < maxPerAccount && ofAddress < maxPerAddress;
  }

  function startNext() {
    for (const next of waiting) {
      if (running.size >= max) return;
      if (mayStart(next.uploader)) next.start();
    }
  }

  function take(uploader: Uploader, res: ServerResponse): () => void {
    running.add(uploader);
    const leave = () => {
      res.off('close', leave);
      if (running.delete(uploader)) startNext();
    };
    res.once('close', leave);
    return leave;
  }

  return {
    /**
     * Resolves when this upload may begin, with a function that releases its slot; the end of the response releases it too.
     * Rejects if it waits too long or its client disconnects.
     */
    async enter(uploader: Uploader, res: ServerResponse): Promise<() => void> {
      // A new object each time, because the limits count uploads.
      const own = { ...uploader };
      if (res.closed) throw clientLeft();
      if (mayStart(own)) return take(own, res);
      if (waiting.size >= maxWaiting) throw full();
      return new Promise((resolve, reject) => {
        const stop = (settle: () => void) => {
          clearTimeout(late);
          res.off('close', left);
          waiting.delete(entry);
          settle();
        };
        const left = () => stop(() => reject(clientLeft()));
        const entry = { uploader: own, start: () => stop(() => resolve(take(own, res))) };
        const late = setTimeout(() => stop(() => reject(full())), waitMs);
        res.once('close', left);
        waiting.add(entry);
      });
    },

    running: () => running.size,
  };
}
