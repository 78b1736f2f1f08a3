import type { EventType } from '@mp/contracts/event';
import { streams } from '@mp/contracts/streams';
import type { AccountId } from '@mp/ids';
import type { z } from 'zod';
import { everythingChanged } from './changes.ts';
import { createConsumer, on } from './consume.ts';
import { prepareCollection } from './mongo.ts';
import { createRunner } from './runner.ts';
import type { Parts } from './service-parts.ts';

export type Suspensions = ReturnType<typeof createSuspensions>;

/** What workers check before they claim a job. */
export type Suspended = Pick<Suspensions, 'has' | 'all'>;

type AccountStatus = z.ZodType<{ account_id: AccountId; status?: 'active' | 'suspended' | undefined; revision?: number | undefined }>;

type AccountDocument = { _id: AccountId; account_id: AccountId; status: 'active' | 'suspended'; revision: number };

/** One replica receives the event; the others read the change within this time. */
const lookEveryMs = 1_000;

/**
 * The suspended accounts, from the point of view of this service. The set is read before any work starts, so that it is complete after
 * a restart. Workers leave the jobs of suspended accounts unchanged until the suspension is lifted.
 */
export function createSuspensions(
  parts: Pick<Parts, 'name' | 'mongo' | 'broker' | 'logger' | 'metrics' | 'consumerConcurrency' | 'erasedAccounts'>,
  accountChanged: EventType<AccountStatus>,
) {
  const { name, mongo, logger, erasedAccounts } = parts;
  const accounts = mongo.db.collection<AccountDocument>('account_statuses');
  let suspended: ReadonlySet<AccountId> = new Set();

  async function look() {
    const found = await accounts.find({ status: 'suspended' }, { projection: { _id: 1 } }).toArray();
    const before = suspended;
    suspended = new Set(found.map(({ _id }) => _id));
    // Workers have skipped jobs of these accounts, or must skip them from now on.
    if (before.size !== suspended.size || [...before].some((id) => !suspended.has(id))) everythingChanged(mongo.db.databaseName);
    return false;
  }

  const runner = createRunner({ logger, warning: 'cannot read the suspended accounts; retrying', work: look, lookEveryMs });

  const consumer = createConsumer(parts, {
    name: `${name}-accounts`,
    stream: streams.platform,
    filter: accountChanged.subject,
    handlers: [
      on(accountChanged, async (tx, { data: { account_id, status, revision } }) => {
        if (status === undefined || revision === undefined) return;
        const { session } = tx;
        const known = await accounts.findOne({ _id: account_id }, { session });
        if (known && known.revision >= revision) return;
        await accounts.replaceOne({ _id: account_id }, { account_id, status, revision }, { session, upsert: true });
        tx.afterCommit(runner.wake);
      }),
    ],
  });

  return {
    consumer,

    async prepare() {
      const partial = { partialFilterExpression: { status: 'suspended' as const } };
      await prepareCollection(accounts, [{ key: { status: 1 }, name: 'suspended', ...partial }], mongo.db);
      await look();
    },

    // Nothing starts for an erased account either, although its status is erased with it.
    has: (accountId: AccountId) => suspended.has(accountId) || erasedAccounts.has(accountId),
    all: (): readonly AccountId[] => [...suspended, ...erasedAccounts.all()],

    start: runner.start,
    stop: runner.stop,
  };
}

/** A filter for queries over all accounts that excludes the suspended ones. */
export const notSuspended = (suspended: Pick<Suspensions, 'all'>): { account_id?: { $nin: AccountId[] } } => {
  const all = suspended.all();
  return all.length > 0 ? { account_id: { $nin: [...all] } } : {};
};

/** No suspended accounts, for tests of workers. */
export const noneSuspended: Suspended = { has: () => false, all: () => [] };
