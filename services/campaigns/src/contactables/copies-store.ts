import { MessageBounced, MessageClicked } from '@mp/contracts/events/campaigns';
import type { Db } from 'mongodb';

export type CopiesStore = ReturnType<typeof createCopiesStore>;

/** What the outbox keeps for some days of what was told of a contact. It goes by itself; who is erased does not wait for that. */
export function createCopiesStore(db: Db) {
  const outbox = db.collection('outbox');

  return {
    /** Of the events that may show more than ids: links, and what a mail server said. Returns how many; may be done twice. */
    async erase(accountId: string, contactIds: readonly string[]): Promise<number> {
      const { deletedCount } = await outbox.deleteMany({
        subject: { $in: [MessageClicked.subject, MessageBounced.subject] },
        'envelope.account_id': accountId,
        'envelope.data.contact_id': { $in: [...contactIds] },
      });
      return deletedCount;
    },
  };
}
