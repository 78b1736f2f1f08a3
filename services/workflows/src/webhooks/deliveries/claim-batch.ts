import { randomUUID } from 'node:crypto';
import { newId, type WebhookId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { Batch } from '../definitions/webhook.ts';
import { type DeliveryDocument, type Held, heldOf } from './delivery-document.ts';

/** The maximum size of the events of a batch; a larger event is sent alone. */
const maxBatchBytes = 1024 * 1024;

type Wanted = { webhookId: WebhookId; batch: Batch; now: Date; leaseUntil: Date };

/** What to send now; `readyAt` when the oldest event still waits for others. */
type ClaimedBatch = { held: Held[]; readyAt?: Date };

/**
 * Claims the next batch of a webhook: one that was tried before, with the same deliveries as in its first attempt, or a new one
 * of deliveries that wait. A batch loses a delivery only if it is erased or replayed, and never gets one, so a receiver that has
 * processed its ID has processed what it contains.
 */
export const claimBatch =
  (deliveries: Collection<DeliveryDocument>, transaction: Mongo['transaction']) =>
  async ({ webhookId, batch, now, leaseUntil }: Wanted): Promise<ClaimedBatch> => {
    const claim = randomUUID();
    const due = await deliveries
      .find({ webhook_id: webhookId, due_at: { $lte: now } }, { projection: { due_at: 1, batch_id: 1 } })
      .sort({ due_at: 1 })
      .limit(batch.max)
      .toArray();
    const [first] = due;
    if (!first) return { held: [] };
    const { batch_id } = first;
    if (batch_id !== undefined) return { held: await again(batch_id) };

    const readyAt = new Date((first.due_at?.getTime() ?? 0) + batch.wait_ms);
    if (due.length < batch.max && readyAt > now) return { held: [], readyAt };
    const waiting = await deliveries
      .find({ _id: { $in: due.map(({ _id }) => _id) }, due_at: { $lte: now }, batch_id: { $exists: false } })
      .sort({ due_at: 1 })
      .toArray();
    const id = newId('batch');
    await deliveries.updateMany(
      { _id: { $in: fitting(waiting).map(({ _id }) => _id) }, due_at: { $lte: now }, batch_id: { $exists: false } },
      { $set: { due_at: leaseUntil, claim, batch_id: id } },
    );
    return { held: await claimed(id) };

    /** All waiting deliveries of the batch, including those whose next attempt would be later; none if another worker holds it. */
    async function again(id: string): Promise<Held[]> {
      const rest = { batch_id: id, due_at: { $exists: true } };
      const isMine = await transaction({ correlationId: id, causationId: null }, async ({ session }) => {
        const held = await deliveries.findOne({ ...rest, claim: { $exists: true }, due_at: { $gt: now } }, { session });
        if (held) return false;
        const { modifiedCount } = await deliveries.updateMany(rest, { $set: { due_at: leaseUntil, claim } }, { session });
        return modifiedCount > 0;
      });
      return isMine ? claimed(id) : [];
    }

    async function claimed(id: string): Promise<Held[]> {
      const mine = await deliveries.find({ batch_id: id, claim }).sort({ _id: 1 }).toArray();
      return mine.map(heldOf);
    }
  };

/** The first deliveries that are small enough together, at least one. */
function fitting(waiting: readonly DeliveryDocument[]): DeliveryDocument[] {
  let bytes = 0;
  return waiting.filter(({ payload }, index) => {
    bytes += Buffer.byteLength(payload);
    return index === 0 || bytes <= maxBatchBytes;
  });
}
