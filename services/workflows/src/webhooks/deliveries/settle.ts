import type { AnyBulkWriteOperation, Collection, UpdateFilter } from 'mongodb';
import type { AttemptsStore } from './attempts-store.ts';
import type { Attempt, DeliveryStatus } from './delivery.ts';
import type { DeliveryDocument, Held } from './delivery-document.ts';

/** How an attempt ended. `nextAt` is null when no further attempt is made. */
export type Result = { held: Held; attempt: Attempt; status: DeliveryStatus; nextAt: Date | null };

/** One update of the deliveries of each claim that their worker still holds. */
export const updatesOfHeld = (held: readonly Held[], update: UpdateFilter<DeliveryDocument>): AnyBulkWriteOperation<DeliveryDocument>[] =>
  [...Map.groupBy(held, ({ claim }) => claim)].map(([claim, own]) => ({
    updateMany: { filter: { _id: { $in: own.map(({ id }) => id) }, claim }, update },
  }));

/**
 * Records attempts, except for deliveries that another worker holds by now. The log is written first: a process that is killed in
 * between repeats the attempt, and its record replaces the earlier one.
 */
export const settle = (deliveries: Collection<DeliveryDocument>, attempts: AttemptsStore) => async (results: readonly Result[]) => {
  const known = await attempts.add(results);
  if (known.length > 0) {
    const held = new Set<string>();
    for (const [claim, own] of Map.groupBy(known, (one) => one.held.claim)) {
      const mine = deliveries.find({ _id: { $in: own.map((one) => one.held.id) }, claim }, { projection: { _id: 1 } });
      for (const { _id } of await mine.toArray()) held.add(_id);
    }
    await attempts.replace(known.filter((one) => held.has(one.held.id)));
  }
  const alike = Map.groupBy(results, ({ status, nextAt }) => `${status} ${nextAt?.getTime()}`);
  const updates = [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { status, nextAt } = first;
    return updatesOfHeld(
      group.map(({ held }) => held),
      {
        $set: { status, ...(nextAt && { due_at: nextAt }) },
        $unset: nextAt === null ? { claim: '', due_at: '' } : { claim: '' },
        $inc: { attempt_count: 1, tries: 1 },
      },
    );
  });
  await deliveries.bulkWrite(updates, { ordered: false });
};
