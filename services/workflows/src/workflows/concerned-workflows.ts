import type { AccountId, WorkflowId } from '@mp/ids';
import { createBatcher } from '@mp/service-kit/batches';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { WorkflowDocument } from './workflow-document.ts';

/** What happened in an account, by the key under which triggers and watching runs find it. Both have the same key. */
export type Concern = { accountId: AccountId; key: string };

/** An active workflow that is triggered by a key, since `activatedAt`. */
type Triggered = { workflowId: WorkflowId; activatedAt: Date | null };

/** `watched`: a run of the account may watch for it. */
type Concerned = { watched: boolean; triggered: readonly Triggered[] };

const maxConcerns = 500;

const nothing: Concerned = { watched: false, triggered: [] };

const nameOf = ({ accountId, key }: Concern) => `${accountId} ${key}`;

/** Which workflows something concerns: one read, however many happenings and accounts. */
export function createConcernedWorkflows(workflows: Collection<WorkflowDocument>) {
  async function concerning(concerns: readonly Concern[], tx?: Transaction): Promise<(one: Concern) => Concerned> {
    const accountIds = [...new Set(concerns.map(({ accountId }) => accountId))];
    const keys = [...new Set(concerns.map(({ key }) => key))];
    if (keys.length === 0) return () => nothing;
    const either = [{ trigger_key: { $in: keys }, status: 'active' as const }, { watch_keys: { $in: keys } }];
    const found = await workflows
      .aggregate<Pick<WorkflowDocument, '_id' | 'account_id' | 'trigger_key' | 'status' | 'activated_at'> & { watched: string[] }>(
        [
          { $match: { account_id: { $in: accountIds }, $or: either } },
          {
            $project: {
              ...{ account_id: 1, trigger_key: 1, status: 1, activated_at: 1 },
              watched: { $setIntersection: [{ $ifNull: ['$watch_keys', []] }, keys] },
            },
          },
        ],
        tx && { session: tx.session },
      )
      .toArray();
    const concerned = new Map<string, { watched: boolean; triggered: Triggered[] }>();
    const of = (accountId: AccountId, key: string) => {
      const name = nameOf({ accountId, key });
      const known = concerned.get(name) ?? { watched: false, triggered: [] };
      concerned.set(name, known);
      return known;
    };
    for (const { _id, account_id, trigger_key, status, activated_at, watched } of found) {
      for (const key of watched) of(account_id, key).watched = true;
      if (status === 'active') of(account_id, trigger_key).triggered.push({ workflowId: _id, activatedAt: activated_at });
    }
    return (one) => concerned.get(nameOf(one)) ?? nothing;
  }

  /** Events of which thousands can arrive at once share a read. */
  const concerned = createBatcher(concerning, { maxItems: maxConcerns });

  return {
    concerning,

    /** Whether an event with this key starts an active workflow of the account, or a run may watch for it. */
    async concerns(accountId: AccountId, key: string): Promise<boolean> {
      const { watched, triggered } = await concerned({ accountId, key });
      return watched || triggered.length > 0;
    },
  };
}
