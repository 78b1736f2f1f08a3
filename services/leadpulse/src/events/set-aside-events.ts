import type { Collection } from 'mongodb';
import type { EventDocument } from './event-document.ts';

const maxAttempts = 8;

/** Events that are set aside because counting them failed repeatedly. */
export function createSetAsideEvents(events: Collection<EventDocument>) {
  return {
    /** How many events are set aside, up to 10,000. */
    setAsideCount: () => events.countDocuments({ parked: { $gt: '' } }, { limit: 10_000 }),

    /** Records a failed attempt to count an event. Returns true if it is now set aside, so that it does not block others. */
    async noteFailure(id: string, reason: string): Promise<boolean> {
      const row = await events.findOneAndUpdate({ _id: id }, { $inc: { attempts: 1 } }, { returnDocument: 'after' });
      if (!row || (row.attempts ?? 0) < maxAttempts) return false;
      await events.updateOne({ _id: id }, { $unset: { pending: '' }, $set: { parked: reason.slice(0, 1_000) } });
      return true;
    },
  };
}
