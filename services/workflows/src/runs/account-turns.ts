import type { AccountId } from '@mp/ids';
import type { WorkflowStatus } from '../workflows/workflow.ts';
import type { StoredRun } from './run-document.ts';

/** A claimed run and the status of its workflow at that time. With `isAlone`, it is not moved together with others. */
export type Turn = { run: StoredRun; status: WorkflowStatus | undefined; isAlone?: true };

/** Claimed runs in the order of their turns: accounts take turns, and of an account, runs with a high priority come first. */
export function createAccountTurns() {
  const queues = new Map<AccountId, Turn[]>();
  const queueOf = ({ run: { account_id } }: Turn) => {
    const queue = queues.get(account_id) ?? [];
    queues.set(account_id, queue);
    return queue;
  };

  return {
    add(turn: Turn) {
      const queue = queueOf(turn);
      const usual = queue.findIndex(({ run }) => run.priority === undefined);
      queue.splice(turn.run.priority === undefined || usual < 0 ? queue.length : usual, 0, turn);
    },

    /** Puts a turn that could not be taken together with others before the account's other turns. */
    addFirst: (turn: Turn) => queueOf(turn).unshift({ ...turn, isAlone: true }),

    /** Removes the next turns: up to `most` that can be taken together, or one that is taken alone. */
    next(most: number): Turn[] {
      const turns: Turn[] = [];
      for (const [accountId, queue] of queues) {
        const [next] = queue;
        const isAlone = next?.isAlone === true;
        if (isAlone && turns.length > 0) continue;
        queues.delete(accountId);
        queue.shift();
        if (queue.length > 0) queues.set(accountId, queue);
        if (!next) continue;
        turns.push(next);
        if (isAlone || turns.length === most) break;
      }
      return turns;
    },

    /** Removes all. */
    clear(): Turn[] {
      const turns = [...queues.values()].flat();
      queues.clear();
      return turns;
    },
  };
}
