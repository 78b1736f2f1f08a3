import { randomUUID } from 'node:crypto';
import type { WebhookId } from '@mp/ids';
import type { Collection } from 'mongodb';
import { type DeliveryDocument, type Held, heldOf } from './delivery-document.ts';

type Wanted = { webhookId: WebhookId; limit: number };

/** Claims due deliveries of several webhooks until `leaseUntil` in one write: of each up to `limit`, earliest first. */
export const claim =
  (deliveries: Collection<DeliveryDocument>) =>
  async (wanted: readonly Wanted[], now: Date, leaseUntil: Date): Promise<Held[]> => {
    const reads = wanted.map(({ webhookId, limit }) =>
      deliveries
        .find({ webhook_id: webhookId, due_at: { $lte: now } })
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray(),
    );
    const due = (await Promise.all(reads)).flat();
    if (due.length === 0) return [];
    const token = randomUUID();
    const ids = { $in: due.map(({ _id }) => _id) };
    // It is sent alone, even if it was in a batch when batches were on.
    const change = { $set: { due_at: leaseUntil, claim: token }, $unset: { batch_id: '' as const } };
    const { modifiedCount } = await deliveries.updateMany({ _id: ids, due_at: { $lte: now } }, change);
    if (modifiedCount < due.length) return (await deliveries.find({ _id: ids, claim: token }).toArray()).map(heldOf);
    return due.map(({ batch_id: _, ...document }) => heldOf({ ...document, claim: token }));
  };
