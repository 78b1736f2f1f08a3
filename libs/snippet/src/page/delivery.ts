import type { PageEvent } from './page-event.ts';

const maxQueued = 200;
const maxBatch = 20;
/** Characters of a request. Browsers send at most 64 KiB after a page has ended, and a character can be three bytes. */
const maxLength = 20_000;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
const stored = 'mp_queue';

/** An event of the visitor that the page had when it happened; `reset` must not give it to the next one. */
type Queued = { visitor_id?: string | undefined; event: PageEvent };

/**
 * Sends events in order. An event stays in the queue until the server has responded, so it is sent again after a failure, and
 * by `sendBeacon` when the page ends; the server recognizes the second one by its message ID. In `store`, events wait for the
 * next page if this one ends before they are sent; it returns none if nothing may be stored.
 */
export function createDelivery(url: string, visitorId: () => string | undefined, store: () => Storage | undefined) {
  let queue: Queued[] = [];
  let sending = false;
  let open = false;
  let retryMs = firstRetryMs;
  let retryAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** The first events of one visitor that fit into one request. */
  function nextBatch() {
    let length = 0;
    const visitor_id = queue[0]?.visitor_id;
    const end = queue.findIndex((queued, index) => {
      length += JSON.stringify(queued.event).length;
      return index === maxBatch || queued.visitor_id !== visitor_id || (index > 0 && length > maxLength);
    });
    const batch = end < 0 ? queue : queue.slice(0, end);
    const events = batch.map(({ event }) => event);
    return { batch, body: JSON.stringify({ sent_at: new Date().toISOString(), visitor_id, events }) };
  }

  function schedule() {
    clearTimeout(timer);
    timer = setTimeout(() => void send(), Math.max(0, retryAt - performance.now()));
  }

  async function send() {
    if (sending || !open || !queue[0]) return;
    sending = true;
    const { batch, body } = nextBatch();
    try {
      // A text body needs no preflight request.
      const response = await fetch(url, { method: 'POST', body, keepalive: body.length < 2 * maxLength, credentials: 'omit' });
      // Until its response is read, a request counts towards the 64 KiB that a page may have in flight with `keepalive`.
      await response.text();
      const { status } = response;
      if (status === 429 || status > 499) throw status;
      if (status > 299) console.warn(`mp: events were rejected (${status})`);
      queue = queue.filter((queued) => !batch.includes(queued));
      retryMs = firstRetryMs;
    } catch {
      retryAt = performance.now() + retryMs;
      retryMs = Math.min(retryMs * 2, maxRetryMs);
    }
    sending = false;
    if (queue[0]) schedule();
  }

  /** Sends what is queued although the page may end now. */
  function leave() {
    if (!open) return;
    while (queue[0] && navigator.onLine) {
      const { batch, body } = nextBatch();
      if (!navigator.sendBeacon(url, body)) break;
      queue = queue.slice(batch.length);
    }
    if (queue[0]) save([...saved().filter(({ event }) => queue.every((own) => own.event.message_id !== event.message_id)), ...queue]);
  }

  function save(all: Queued[]) {
    try {
      store()?.setItem(stored, JSON.stringify(all.slice(-maxQueued)));
    } catch {
      // The storage is full; the events are lost if the page ends now.
    }
  }

  function saved(): Queued[] {
    try {
      return JSON.parse(store()?.getItem(stored) ?? '[]');
    } catch {
      return [];
    }
  }

  addEventListener('online', () => {
    retryAt = 0;
    schedule();
  });
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave());

  return {
    add(event: PageEvent) {
      try {
        // A copy that has only what can be sent: an event that JSON cannot hold must not stop the others.
        const copy: PageEvent = JSON.parse(JSON.stringify(event));
        // Nothing may be stored before consent, so an event that waits for it gets its visitor then.
        queue = [...queue, { visitor_id: open ? visitorId() : undefined, event: copy }].slice(-maxQueued);
        if (open && !sending) schedule();
      } catch (error) {
        console.warn('mp: an event was dropped', error);
      }
    },

    /** From now on, events are sent, beginning with those of earlier pages. */
    start() {
      open = true;
      const earlier = saved();
      store()?.removeItem(stored);
      queue = [...earlier, ...queue.map(({ event }) => ({ visitor_id: visitorId(), event }))];
      schedule();
    },

    /** From now on, nothing is sent; what was not sent is deleted. */
    stop() {
      open = false;
      queue = [];
      store()?.removeItem(stored);
    },
  };
}
