import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Campaign } from '../../campaigns/campaign.ts';
import type { CountersStore } from '../counters/counters-store.ts';
import type { StateCounts } from './recipient.ts';
import type { RecipientsStore } from './recipients-store.ts';

type Deps = { counters: Pick<CountersStore, 'read'>; recipients: Pick<RecipientsStore, 'countStates'> };

export type ReadProgress = ReturnType<typeof createReadProgress>;

/**
 * The number of recipients in each state: from the counters, except for those being sent and deferred, which they do not include.
 * The rest of the audience is queued. All rows are counted only while too many are not in the counters yet.
 */
export const createReadProgress =
  ({ counters, recipients }: Deps) =>
  async (tx: Transaction, accountId: AccountId, { id, audience_count }: Pick<Campaign, 'id' | 'audience_count'>): Promise<StateCounts> => {
    const { counts, isComplete } = await counters.read(tx, accountId, id);
    if (!isComplete) return recipients.countStates(accountId, id, tx);
    const { sending, deferred, ...others } = await recipients.countStates(accountId, id, tx, ['sending', 'deferred']);
    const settled = Object.keys(others).map((state) => [state, counts[state] ?? 0] as const);
    const known = settled.reduce((sum, [, count]) => sum + count, sending + deferred);
    return { ...others, ...Object.fromEntries(settled), sending, deferred, queued: Math.max(0, (audience_count ?? 0) - known) };
  };
