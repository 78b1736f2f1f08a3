import type { ServerResponse } from 'node:http';
import { ApiError } from '@mp/contracts/errors';

export type UploadSlots = ReturnType<typeof createUploadSlots>;

/** Who uploads: each of these names has a cap of its own. */
export type Uploader = { account: string; address: string };

type Waiting = { uploader: Uploader; start: () => void };

type Config = { max: number; perAccountMax: number; perAddressMax: number; waitingMax: number; waitMs: number };

const full = () => new ApiError('SERVICE_UNAVAILABLE', 'Too many uploads run at once; try again.', { retryAfter: 5 });

const clientLeft = () => new Error('the client left while its upload waited');

/**
 * How many large bodies may be on their way to one service at the same time: in all, of an account, and of an address. The
 * others wait, in order, with their bytes unread; an upload that has to wait for too long is refused.
 */
export function createUploadSlots({ max, perAccountMax, perAddressMax, waitingMax, waitMs }: Config) {
  const running = new Set<Uploader>();
  const waiting = new Set<Waiting>();

  function mayStart({ account, address }: Uploader): boolean {
    if (running.size >= max) return false;
    let [ofAccount, ofAddress] = [0, 0];
    for (const other of running) {
      if (other.account === account) ofAccount += 1;
      if (other.address === address) ofAddress += 1;
    }
    return ofAccount < perAccountMax && ofAddress < perAddressMax;
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
    /** Resolves, with how to leave before the response is through, when this upload may begin. Rejects when it has to wait for too long or its client leaves. */
    async enter(uploader: Uploader, res: ServerResponse): Promise<() => void> {
      // A new object each time: the caps count uploads.
      const own = { ...uploader };
      if (res.closed) throw clientLeft();
      if (mayStart(own)) return take(own, res);
      if (waiting.size >= waitingMax) throw full();
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
