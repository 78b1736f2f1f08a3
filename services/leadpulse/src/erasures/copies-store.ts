import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import type { Db } from 'mongodb';

export type CopiesStore = ReturnType<typeof createCopiesStore>;

/** What was told of a contact waits in the outbox for some days. It goes by itself; who is erased does not wait for that. */
export function createCopiesStore(db: Db) {
  const outbox = db.collection('outbox');

  return {
    /** Returns how many. Receipts carry no more than ids, and stay. */
    async erase(accountId: string, contactIds: readonly string[]): Promise<number> {
      const told = { $in: [EventTracked.subject, EventAttributed.subject] };
      const { deletedCount } = await outbox.deleteMany({
        subject: told,
        'envelope.account_id': accountId,
        'envelope.data.contact_id': { $in: [...contactIds] },
      });
      return deletedCount;
    },
  };
}
