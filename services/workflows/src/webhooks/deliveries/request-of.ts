import type { Held } from './delivery-document.ts';

/** The `webhook-id` and the body of the request for these deliveries: one delivery, or all of a batch. */
export function requestOf([first, ...others]: readonly [Held, ...Held[]]): { id: string; body: string } {
  if (first.batchId === undefined) return { id: first.eventId, body: first.payload };
  const { batchId: id, accountId: account_id } = first;
  const head = JSON.stringify({ id, type: 'batch', timestamp: first.createdAt.toISOString(), account_id }).slice(0, -1);
  return { id, body: `${head},"events":[${[first, ...others].map(({ payload }) => payload).join(',')}]}` };
}
