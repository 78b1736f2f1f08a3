import type { PageEvent } from './page-event.ts';

type Config = {
  url: string;
  visitorId: () => string | undefined;
  /** Where events wait for the next page if this one ends before they are sent; none if nothing may be stored. */
  store: () => Storage | undefined;
};

const maxQueued = 200;
const maxBatch = 20;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
const stored = 'mp_queue';

/**
 * Sends events in order. An event stays in the queue until the server has answered, so it is sent again after a failure, and
 * by `sendBeacon` when the page ends; the server recognizes the second one by its message ID.
 */
export function createDelivery({ url, visitorId, store }: Config) {
  let queue: PageEvent[] = [];
  let sending = false;
  let open = false;
  let retryMs = firstRetryMs;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const bodyOf = (events: PageEvent[]) => JSON.stringify({ sent_at: new Date().toISOString(), visitor_id: visitorId(), events });

  function schedule(ms: number) {
    clearTimeout(timer);
    timer = setTimeout(() => void send(), ms);
  }

  async function send() {
    if (sending || !open || !queue[0]) return;
    sending = true;
    const batch = queue.slice(0, maxBatch);
    let wait = 0;
    try {
      // A text body needs no preflight request.
      const { status } = await fetch(url, { method: 'POST', body: bodyOf(batch), keepalive: true, credentials: 'omit' });
      if (status === 429 || status > 499) throw status;
      if (status > 299) console.warn(`mp: events were rejected (${status})`);
      queue = queue.filter((event) => !batch.includes(event));
      retryMs = firstRetryMs;
    } catch {
      wait = retryMs;
      retryMs = Math.min(retryMs * 2, maxRetryMs);
    }
    sending = false;
    if (queue[0]) schedule(wait);
  }

  /** Sends what is queued although the page may end now. */
  function leave() {
    if (!open) return;
    while (queue[0] && navigator.onLine && navigator.sendBeacon(url, bodyOf(queue.slice(0, maxBatch)))) queue.splice(0, maxBatch);
    if (queue[0]) store()?.setItem(stored, JSON.stringify([...saved(), ...queue].slice(-maxQueued)));
  }

  function saved(): PageEvent[] {
    try {
      return JSON.parse(store()?.getItem(stored) ?? '[]');
    } catch {
      return [];
    }
  }

  addEventListener('online', () => schedule(0));
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave());

  return {
    add(event: PageEvent) {
      queue = [...queue, event].slice(-maxQueued);
      if (open && !sending) schedule(0);
    },

    /** From now on, events are sent, beginning with those of earlier pages. */
    start() {
      open = true;
      const earlier = saved();
      store()?.removeItem(stored);
      queue = [...earlier, ...queue];
      schedule(0);
    },

    /** From now on, nothing is sent; what was not sent is deleted. */
    stop() {
      open = false;
      queue = [];
      store()?.removeItem(stored);
    },
  };
}
