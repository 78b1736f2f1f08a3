import type { WebhookId } from '@mp/ids';
import type { Target } from '../definitions/webhooks-store.ts';
import type { Held } from './delivery-document.ts';

/** What one request sends: a delivery, or those of a batch. */
export type Request = readonly [Held, ...Held[]];

type Waiting = { target: Target; requests: { request: Request; claimedAt: number }[] };

/** Claimed requests that wait for room to be sent. Webhooks take turns. */
export function createWaitingRequests() {
  const webhooks = new Map<WebhookId, Waiting>();

  /** Takes all of a webhook's. */
  function takeAll(id: WebhookId): Request[] {
    const requests = webhooks.get(id)?.requests ?? [];
    webhooks.delete(id);
    return requests.map(({ request }) => request);
  }

  return {
    ids: (): WebhookId[] => [...webhooks.keys()],
    count: (id: WebhookId): number => webhooks.get(id)?.requests.length ?? 0,
    takeAll,

    add(target: Target, requests: readonly Request[], claimedAt: Date) {
      if (requests.length === 0) return;
      const own = webhooks.get(target.id) ?? { target, requests: [] };
      own.requests.push(...requests.map((request) => ({ request, claimedAt: claimedAt.getTime() })));
      webhooks.set(target.id, own);
    },

    /** Later requests to the webhook use this URL, these headers and secrets. */
    refresh(target: Target) {
      const own = webhooks.get(target.id);
      if (own) own.target = target;
    },

    /** Takes what was claimed before then. */
    takeOlder(than: Date): Request[] {
      return [...webhooks].flatMap(([id, { requests }]) => {
        const old = requests.filter(({ claimedAt }) => claimedAt < than.getTime());
        requests.splice(0, old.length);
        if (requests.length === 0) webhooks.delete(id);
        return old.map(({ request }) => request);
      });
    },

    /** Gives what was claimed since then to `begin`, one request of each webhook in turn, until it begins none of any webhook. */
    each(since: Date, begin: (target: Target, request: Request) => boolean) {
      for (let begun = true; begun; ) {
        begun = false;
        for (const [id, own] of [...webhooks]) {
          const [first] = own.requests;
          if (!first || first.claimedAt < since.getTime() || !begin(own.target, first.request)) continue;
          begun = true;
          own.requests.shift();
          webhooks.delete(id);
          if (own.requests.length > 0) webhooks.set(id, own);
        }
      }
    },
  };
}
