import type { AccountId } from '@mp/ids';
import { notSuspended, type Suspended } from '@mp/service-kit/suspensions';
import type { Db, Filter } from 'mongodb';
import type { CampaignsQueue } from '../../campaigns/campaigns-queue.ts';
import { type RecipientDocument, recipientsOf } from './recipient-row.ts';
import type { RecipientsQueue } from './recipients-queue.ts';

type Deps = {
  db: Db;
  campaigns: Pick<CampaignsQueue, 'sending'>;
  queue: Pick<RecipientsQueue, 'accountsWithWorkflowMessages'>;
  suspended: Suspended;
  /** The accounts that have stopped all sending but that of their messages. */
  paused: () => Promise<ReadonlySet<AccountId>>;
};

/** Limits of a single read. */
const maxRows = 10_000;
const maxAccounts = 100;
const maxCampaigns = 100;

/** Claimed rows are due again within this time. Later ones wait for a local time, quiet hours or the winner of an A/B test. */
const soonMs = 60_000;

const queued = { state: 'queued', due_at: { $gt: new Date(0) } } as const;

/**
 * The age of the oldest email that could be sent now, by kind. Emails of paused campaigns and suspended accounts, those that stopped
 * sending, that the mail server deferred, and those of throttled campaigns wait for a reason.
 */
export function createOldestQueued({ db, campaigns, queue, suspended, paused }: Deps) {
  const recipients = recipientsOf(db);

  async function oldestIn(rows: Filter<RecipientDocument>, hint: string): Promise<Date | undefined> {
    const [found] = await recipients
      .aggregate<{ at: Date }>(
        [{ $match: { ...rows, ...queued } }, { $limit: maxRows }, { $group: { _id: null, at: { $min: '$created_at' } } }],
        { hint },
      )
      .toArray();
    return found?.at;
  }

  async function oldestOfWorkflows() {
    const { accountIds } = await queue.accountsWithWorkflowMessages(null, maxAccounts);
    const stopped = await paused();
    const active = accountIds.filter((accountId) => !suspended.has(accountId) && !stopped.has(accountId));
    const workflows = { source: 'workflow' as const, account_id: { $in: active }, run_id: { $exists: true } };
    return active.length === 0 ? undefined : oldestIn(workflows, 'due_of_workflows');
  }

  async function oldestOfCampaigns() {
    const { lanes } = await campaigns.sending(null, maxCampaigns);
    const stopped = await paused();
    const open = lanes.filter(
      ({ accountId, throttlePerMinute }) => throttlePerMinute === null && !suspended.has(accountId) && !stopped.has(accountId),
    );
    const oldest = open.map(({ accountId, campaignId }) =>
      recipients.findOne(
        { account_id: accountId, source_id: campaignId, state: 'queued', due_at: { $lte: new Date(Date.now() + soonMs) } },
        { sort: { due_at: 1 }, projection: { created_at: 1, scheduled_for: 1 }, hint: 'due' },
      ),
    );
    const times = (await Promise.all(oldest)).flatMap((row) =>
      row ? [Math.max(row.created_at.getTime(), row.scheduled_for?.getTime() ?? 0)] : [],
    );
    return times.length === 0 ? undefined : new Date(Math.min(...times));
  }

  const ageOf = async (oldest: Promise<Date | undefined>) => {
    const at = await oldest;
    return at ? Math.max(0, Date.now() - at.getTime()) / 1_000 : 0;
  };

  /** Seconds, 0 if none waits. */
  return new Map([
    [
      'message',
      () =>
        ageOf(
          oldestIn({ category: { $exists: true }, 'waits.for': { $ne: 'sending_paused' }, ...notSuspended(suspended) }, 'due_of_messages'),
        ),
    ],
    ['workflow', () => ageOf(oldestOfWorkflows())],
    ['campaign', () => ageOf(oldestOfCampaigns())],
  ]);
}
