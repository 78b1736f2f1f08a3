import type { AccountErasureReceipt } from '@mp/contracts/account-erasure';
import type { EventType } from '@mp/contracts/event';
import { AccountErased } from '@mp/contracts/events/platform';
import { streams } from '@mp/contracts/streams';
import type { AccountId } from '@mp/ids';
import { createAccountDocuments } from '@mp/service-kit/account-documents';
import { createConsumer, on } from '@mp/service-kit/consume';
import { type AccountErasureDocument, accountErasuresOf } from '@mp/service-kit/erased-accounts';
import { nextDue } from '@mp/service-kit/job-lease';
import type { Transaction } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { Parts } from '@mp/service-kit/service-parts';

/**
 * From the first pass over the collections, which removes credentials and work in progress, to the last. By then every replica has
 * read that the account is erased, requests have their responses, and MongoDB has ended every transaction that began before (after a minute
 * at most): nothing more is written for the account.
 */
const settleMs = 90_000;

const leaseMs = 60_000;
const unpublishedMs = 1_000;

type Confirm = (tx: Transaction, receipt: AccountErasureReceipt) => Promise<void>;

/**
 * Erases accounts from the service's database, whatever the collection, and confirms it. What stays is the receipt. Every step can be
 * repeated, after a crash or by several replicas.
 */
export function createAccountEraser(
  { mongo, outbox, positions, logger }: Pick<Parts, 'mongo' | 'outbox' | 'positions' | 'logger'>,
  confirm: Confirm,
  waitMs = settleMs,
) {
  const erasures = accountErasuresOf(mongo.db);
  const documents = createAccountDocuments(mongo);
  const inMs = (ms: number) => new Date(Date.now() + ms);

  async function removeData({ _id: accountId, asked_at }: Pick<AccountErasureDocument, '_id' | 'asked_at'>) {
    const settledAt = new Date(asked_at.getTime() + waitMs);
    const isLast = Date.now() >= settledAt.getTime();
    await outbox.eraseAccount(accountId);
    // Also extends the lease.
    await documents.erase(accountId, async (tx, collection, count) => {
      const $inc = { [`removed.${collection}`]: count };
      await erasures.updateOne({ _id: accountId }, { $inc, $set: { due_at: inMs(leaseMs) } }, { session: tx.session });
    });
    if (!isLast) {
      await erasures.updateOne({ _id: accountId, confirmed_at: null }, { $set: { due_at: settledAt } });
      return;
    }
    await mongo.transaction({ correlationId: accountId, causationId: null }, async (tx) => {
      const at = new Date();
      const change = { $set: { confirmed_at: at, due_at: inMs(unpublishedMs) } };
      const erasure = await erasures.findOneAndUpdate({ _id: accountId, confirmed_at: null }, change, { session: tx.session });
      if (erasure) await confirm(tx, { account_id: accountId, removed: erasure.removed, at: at.toISOString() });
    });
  }

  /** The confirmation itself names the account: it is removed from the outbox once it is published. */
  async function removeConfirmation(accountId: AccountId) {
    if (await outbox.hasPending(accountId)) return;
    await outbox.eraseAccount(accountId);
    await positions.eraseAccount(accountId);
    await erasures.updateOne({ _id: accountId, confirmed_at: { $ne: null } }, { $set: { due_at: null } });
  }

  const runner = createRunner({
    logger,
    warning: 'erasing an account failed; retrying',
    async work() {
      const erasure = await erasures.findOneAndUpdate(...nextDue(new Date(), leaseMs));
      if (!erasure) return false;
      if (erasure.confirmed_at === null) await removeData(erasure);
      else await removeConfirmation(erasure._id);
      return unpublishedMs;
    },
  });

  return {
    /** Requests the erasure of an account. One that was confirmed before is carried out and confirmed again. */
    async request(tx: Transaction, accountId: AccountId) {
      const { session } = tx;
      const known = await erasures.findOne({ _id: accountId }, { session });
      if (!known) {
        const now = new Date();
        const erasure = { asked_at: now, due_at: now, removed: {}, confirmed_at: null };
        await erasures.insertOne({ _id: accountId, ...erasure }, { session });
      } else if (known.confirmed_at !== null) {
        await erasures.updateOne({ _id: accountId }, { $set: { confirmed_at: null, due_at: new Date() } }, { session });
      }
      tx.afterCommit(runner.wake);
    },

    start: runner.start,
    stop: runner.stop,
  };
}

/** The part of a service behind the gateway: erases an account when the gateway asks for it, and publishes the confirmation. */
export function createAccountErasure(
  parts: Pick<Parts, 'name' | 'mongo' | 'outbox' | 'positions' | 'broker' | 'logger' | 'metrics'>,
  confirmed: EventType<typeof AccountErasureReceipt>,
  waitMs?: number,
) {
  const { name, mongo, broker, logger, metrics, outbox } = parts;
  const eraser = createAccountEraser(parts, (tx, receipt) => outbox.add(tx, confirmed, receipt.account_id, receipt), waitMs);
  // Without `erasedAccounts`: a request for an account that is erased already is confirmed again.
  const consumer = createConsumer(
    { mongo, broker, logger, metrics },
    {
      name: `${name}-account-erasures`,
      stream: streams.platform,
      filter: AccountErased.subject,
      handlers: [on(AccountErased, (tx, { data: { account_id } }) => eraser.request(tx, account_id))],
    },
  );
  return { consumer, background: { start: eraser.start, stop: eraser.stop } };
}
