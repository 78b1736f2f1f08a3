import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';

export type CopiesStore = ReturnType<typeof createCopiesStore>;

/**
 * The copies of a contact that this service's own machinery keeps for some days: events that were written, and answers
 * kept for retries. Both go by themselves; who is erased does not wait for that.
 */
export function createCopiesStore(db: Db, outbox: Pick<Outbox, 'erase'>) {
  const claims = db.collection('idempotency_claims');

  return {
    /** Returns how many. Events that carry no more than ids stay: they tell the others to forget. */
    async erase(accountId: string, contactIds: readonly string[], hashes: readonly string[]): Promise<{ events: number; answers: number }> {
      const ids = { $in: [...contactIds] };
      const members = ['id', 'contact.id', 'source.id', 'contact_id'];
      const events = await outbox.erase(accountId, [...contactIds, ...hashes]);
      const answers = await claims.deleteMany({
        account_id: accountId,
        // The receipt of an erasure itself carries no more than ids, and stays for who asks again.
        'outcome.data.receipts': { $exists: false },
        $or: [
          ...members.map((member) => ({ [`outcome.data.${member}`]: ids })),
          // A suppression that was added tells its address.
          { 'outcome.data.hash': { $in: [...hashes] } },
        ],
      });
      return { events, answers: answers.deletedCount };
    },
  };
}
