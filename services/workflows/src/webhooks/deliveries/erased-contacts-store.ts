import type { AccountId, ContactId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Logger } from '@mp/service-kit/logger';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner } from '@mp/service-kit/runner';
import type { Db } from 'mongodb';
import type { StreamsStore } from '../streams/streams-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';

type ErasedDocument = { _id: string; account_id: AccountId; contact_id: ContactId; at: Date; sweep_at?: Date };

/** Longer than events are kept in the streams. */
const keptSeconds = 30 * 24 * 60 * 60;

/** Longer than a transaction can take: by then, every one that did not see the erasure has ended. */
const sweepAfterMs = 2 * 60_000;

const lookEveryMs = 10_000;

export type ErasedContacts = ReturnType<typeof createErasedContacts>;

type Deps = {
  db: Db;
  deliveries: Pick<DeliveriesStore, 'erase'>;
  streams: Pick<StreamsStore, 'erase'>;
  outbox: Pick<Outbox, 'erase'>;
  logger: Logger;
  clock: Clock;
};

/** Removes the stored payloads and events about erased contacts, and remembers the contacts, so that late events about them are not stored. */
export function createErasedContacts({ db, deliveries, streams, outbox, logger, clock }: Deps) {
  const erased = db.collection<ErasedDocument>('webhook_erased_contacts');
  const keyOf = (accountId: AccountId, contactId: ContactId) => `${accountId} ${contactId}`;

  async function sweep(): Promise<boolean> {
    const due = await erased
      .find({ sweep_at: { $lte: clock() } })
      .limit(100)
      .toArray();
    for (const { _id, account_id, contact_id } of due) {
      await deliveries.erase(account_id, [contact_id]);
      await streams.erase(account_id, [contact_id]);
      await outbox.erase(account_id, [contact_id]);
      await erased.updateOne({ _id }, { $unset: { sweep_at: '' } });
    }
    return due.length === 100;
  }

  const runner = createRunner({ logger, warning: 'cannot remove the payloads of erased contacts; retrying', work: sweep, lookEveryMs });

  return {
    prepare: () =>
      prepareCollection(
        erased,
        [
          { key: { at: 1 }, expireAfterSeconds: keptSeconds },
          { key: { sweep_at: 1 }, partialFilterExpression: { sweep_at: { $exists: true } } },
        ],
        db,
      ),

    /** Returns the number of removed deliveries. */
    async erase(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]): Promise<number> {
      const at = clock();
      const sweep_at = new Date(at.getTime() + sweepAfterMs);
      for (const contact_id of contactIds) {
        const row = { $set: { account_id: accountId, contact_id, at, sweep_at } };
        await erased.updateOne({ _id: keyOf(accountId, contact_id) }, row, { session: tx.session, upsert: true });
      }
      await streams.erase(accountId, contactIds, tx);
      return deliveries.erase(accountId, contactIds, tx);
    },

    /** Those of these contacts that were erased. */
    async among(tx: Transaction, contacts: readonly { accountId: AccountId; contactId: ContactId }[]): Promise<Set<ContactId>> {
      if (contacts.length === 0) return new Set();
      const those = { _id: { $in: contacts.map(({ accountId, contactId }) => keyOf(accountId, contactId)) } };
      const found = await erased.find(those, { session: tx.session, projection: { contact_id: 1 } }).toArray();
      return new Set(found.map(({ contact_id }) => contact_id));
    },

    start: runner.start,
    stop: runner.stop,
  };
}
