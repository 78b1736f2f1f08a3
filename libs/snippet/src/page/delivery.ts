import { readLocally, storeLocally } from './local-store.ts';
import type { PageEvent } from './page-event.ts';

const maxQueued = 1_000;
/** As many events as the server accepts in a request. */
const maxBatch = 100;
/** Characters of a request. Browsers send at most 64 KiB after a page has ended, and a character can be three bytes. */
const maxLength = 20_000;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
const stored = 'mp_queue';

/** An event of the visitor that the page had when it happened; `reset` must not give it to the next one. */
type Queued = { visitor_id?: string | undefined; event: PageEvent };

/**
 * Sends events in order. An event stays in the queue until the server has responded, so it is sent again after a failure, and
 * by `sendBeacon` when the page ends; the server recognizes the second one by its message ID. If it `stores`, events wait in
 * `localStorage` for the next page if this one ends before they are sent. An event that finds the queue full is dropped, and the
 * next request says how many were.
 */
export function createDelivery(url: string, visitorId: () => string | undefined, stores: boolean) {
  let queue: Queued[] = [];
  let dropped = 0;
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
      return index && (index === maxBatch || queued.visitor_id !== visitor_id || length > maxLength);
    });
    const batch = queue.slice(0, end < 0 ? maxBatch : end);
    const events = batch.map(({ event }) => event);
    const lost = dropped;
    dropped = 0;
    return { batch, lost, body: JSON.stringify({ sent_at: new Date().toISOString(), visitor_id, dropped: lost || undefined, events }) };
  }

  function schedule() {
    clearTimeout(timer);
    timer = setTimeout(send, retryAt - performance.now());
  }

  async function send() {
    if (sending || !open || !queue[0]) return;
    sending = true;
    const { batch, lost, body } = nextBatch();
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
      dropped += lost;
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
      const { batch, lost, body } = nextBatch();
      if (!navigator.sendBeacon(url, body)) {
        dropped += lost;
        break;
      }
      queue = queue.slice(batch.length);
    }
    if (queue[0]) save([...saved().filter(({ event }) => queue.every((own) => own.event.message_id !== event.message_id)), ...queue]);
  }

  function save(all: Queued[]) {
    if (stores) storeLocally(stored, all[0] && JSON.stringify(all.slice(0, maxQueued)));
  }

  function saved(): Queued[] {
    try {
      return JSON.parse((stores && readLocally(stored)) || '[]');
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
        if (queue.length >= maxQueued) throw 'too many';
        // A copy that has only what can be sent: an event that JSON cannot hold must not stop the others.
        const copy: PageEvent = JSON.parse(JSON.stringify(event));
        // Nothing may be stored before consent, so an event that waits for it gets its visitor then.
        queue.push({ visitor_id: open ? visitorId() : undefined, event: copy });
        if (open) schedule();
      } catch (error) {
        dropped += 1;
        console.warn('mp: an event was dropped', error);
      }
    },

    /** From now on, events are sent, beginning with those of earlier pages. */
    start() {
      open = true;
      const earlier = saved();
      save([]);
      queue = [...earlier, ...queue.map(({ event }) => ({ visitor_id: visitorId(), event }))];
      schedule();
    },

    /** From now on, nothing is sent; what was not sent is deleted. */
    stop() {
      open = false;
      queue = [];
      dropped = 0;
      save([]);
    },
  };
}
