import type { AccountId, ContactId } from '@mp/ids';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';

export type CopiesStore = ReturnType<typeof createCopiesStore>;

/**
 * The copies of a contact that this service's infrastructure keeps for some days: published events, and responses stored for
 * retries. Both expire on their own, but an erasure removes them immediately.
 */
export function createCopiesStore(db: Db, outbox: Pick<Outbox, 'erase'>) {
  const claims = db.collection('idempotency_claims');

  return {
    /** Returns how many were removed. Events that carry only ids stay: they tell the other services to erase. */
    async erase(
      accountId: AccountId,
      contactIds: readonly ContactId[],
      hashes: readonly string[],
    ): Promise<{ events: number; answers: number }> {
      const ids = { $in: [...contactIds] };
      const members = ['id', 'contact.id', 'source.id', 'contact_id'];
      const events = await outbox.erase(accountId, [...contactIds, ...hashes]);
      const responses = await claims.deleteMany({
        account_id: accountId,
        // The receipt of the erasure itself carries only ids, and stays for retries of the request.
        'outcome.data.receipts': { $exists: false },
        $or: [
          ...members.map((member) => ({ [`outcome.data.${member}`]: ids })),
          // The response to adding a suppression contains the address.
          { 'outcome.data.hash': { $in: [...hashes] } },
        ],
      });
      return { events, answers: responses.deletedCount };
    },
  };
}
