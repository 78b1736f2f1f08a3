import type { AccountId, WorkflowId } from '@mp/ids';
import { createBatcher } from '@mp/service-kit/batches';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { WorkflowDocument } from './workflow-document.ts';

/** What happened in an account, by the key under which triggers and watching runs find it. Both have the same key. */
export type OccurrenceKey = { accountId: AccountId; key: string };

/** An active workflow that is triggered by a key, since `activatedAt`. */
type Triggered = { workflowId: WorkflowId; activatedAt: Date | null };

/** `watched`: a run of the account may watch for it. */
type Affected = { watched: boolean; triggered: readonly Triggered[] };

const maxKeysPerRead = 500;

const nothing: Affected = { watched: false, triggered: [] };

const nameOf = ({ accountId, key }: OccurrenceKey) => `${accountId} ${key}`;

/** Which workflows something affects: one read for any number of keys and accounts. */
export function createAffectedWorkflows(workflows: Collection<WorkflowDocument>) {
  async function affectedBy(occurrences: readonly OccurrenceKey[], tx?: Transaction): Promise<(one: OccurrenceKey) => Affected> {
    const accountIds = [...new Set(occurrences.map(({ accountId }) => accountId))];
    const keys = [...new Set(occurrences.map(({ key }) => key))];
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
    const affected = new Map<string, { watched: boolean; triggered: Triggered[] }>();
    const of = (accountId: AccountId, key: string) => {
      const name = nameOf({ accountId, key });
      const known = affected.get(name) ?? { watched: false, triggered: [] };
      affected.set(name, known);
      return known;
    };
    for (const { _id, account_id, trigger_key, status, activated_at, watched } of found) {
      for (const key of watched) of(account_id, key).watched = true;
      if (status === 'active') of(account_id, trigger_key).triggered.push({ workflowId: _id, activatedAt: activated_at });
    }
    return (one) => affected.get(nameOf(one)) ?? nothing;
  }

  /** Events of which thousands can arrive at once share a read. */
  const affected = createBatcher(affectedBy, { maxItems: maxKeysPerRead });

  return {
    affectedBy,

    /** Whether an event with this key starts an active workflow of the account, or a run may watch for it. */
    async concerns(accountId: AccountId, key: string): Promise<boolean> {
      const { watched, triggered } = await affected({ accountId, key });
      return watched || triggered.length > 0;
    },
  };
}
