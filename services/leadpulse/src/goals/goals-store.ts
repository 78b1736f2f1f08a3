import { ApiError, notFound } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, listQuery } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { type Goal, maxGoals } from './goal.ts';

/** `match` is text, because its keys contain dots. */
type GoalDocument = Pick<Goal, 'name' | 'value' | 'revision'> & {
  _id: string;
  account_id: AccountId;
  match: string;
  created_at: Date;
  updated_at: Date;
};

export const ListGoalsQuery = z.strictObject(listQuery);

export type GoalsStore = ReturnType<typeof createGoalsStore>;

/** Owns the `goals` collection. Every query names the account. */
export function createGoalsStore(db: Db, cursors: Cursors) {
  const goals = db.collection<GoalDocument>('goals');

  return {
    prepare: () => prepareCollection(goals, [{ name: 'created_at', key: { account_id: 1, created_at: 1, _id: 1 } }], db),

    /** Throws PLAN_LIMIT_EXCEEDED if the account has too many goals. */
    async insert(tx: Transaction, accountId: AccountId, goal: Goal) {
      const present = await goals.countDocuments({ account_id: accountId }, { session: tx.session });
      if (present >= maxGoals)
        throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxGoals} goals; delete one first.`);
      await goals.insertOne(documentOf(accountId, goal), { session: tx.session });
    },

    async find(accountId: AccountId, id: string, tx?: Transaction): Promise<Goal | undefined> {
      const row = await goals.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return row ? goalOf(row) : undefined;
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<Goal> {
      const goal = await this.find(accountId, id, tx);
      if (!goal) throw notFound();
      return goal;
    },

    async replace(tx: Transaction, accountId: AccountId, goal: Goal) {
      await goals.replaceOne({ _id: goal.id, account_id: accountId }, documentOf(accountId, goal), { session: tx.session });
    },

    async remove(tx: Transaction, accountId: AccountId, id: string) {
      await goals.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },

    async list(accountId: AccountId, { limit, cursor }: z.output<typeof ListGoalsQuery>) {
      const { items, pagination } = await findPage({
        collection: goals,
        filter: { account_id: accountId },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['goals', accountId],
      });
      return { items: items.map(goalOf), pagination };
    },
  };
}

const documentOf = (account_id: AccountId, { id, name, value, revision, match, created_at, updated_at }: Goal): GoalDocument => ({
  _id: id,
  ...{ account_id, name, value, revision },
  match: JSON.stringify(match),
  created_at: new Date(created_at),
  updated_at: new Date(updated_at),
});

const goalOf = ({ _id, name, value, revision, match, created_at, updated_at }: GoalDocument): Goal => ({
  id: _id,
  ...{ name, value, revision },
  match: JSON.parse(match),
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});
