import type { AccountId, CampaignId } from '@mp/ids';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { CampaignsQueue, SendingLane } from '../../campaigns/campaigns-queue.ts';
import { isPausable } from '../../ledger/recipients/recipient-row.ts';
import type { Lane, RecipientsQueue } from '../../ledger/recipients/recipients-queue.ts';

export type OpenLane = Lane | SendingLane;

type PausableRow = Parameters<typeof isPausable>[0];

type Deps = {
  campaigns: Pick<CampaignsQueue, 'sending' | 'isSending'>;
  queue: Pick<RecipientsQueue, 'accountsWithWorkflowMessages' | 'accountsWithMessages' | 'hasLaterMessages'>;
  suspended: Suspended;
  /** The accounts that have stopped all sending but that of their messages. */
  paused: () => Promise<ReadonlySet<AccountId>>;
};

/** The maximum age of the view of what is being sent. A pause takes effect in every process within this time. */
const viewMs = 250;

/** How long a lane with nothing due is skipped. */
const restMs = 150;

/**
 * Messages of the API first. Round-robin over accounts, and within an account over its campaigns, so that no account waits
 * behind another's large campaign. If there is more to send than one refresh reads, consecutive refreshes read all of it in turn.
 */
export function createFairQueue({ campaigns, queue, suspended, paused }: Deps, most = { campaigns: 5_000, accounts: 1_000 }) {
  let byAccount = new Map<string, OpenLane[]>();
  let urgent = new Map<string, OpenLane[]>();
  let open = new Set<string>();
  let stopped: ReadonlySet<AccountId> = new Set();
  let seenAt = 0;
  let turn = 0;
  /** Where the next refresh continues if there is more to send than one refresh reads. */
  let lastCampaign: CampaignId | null = null;
  let lastAccount: AccountId | null = null;
  let lastUrgent: AccountId | null = null;
  /** Whether the view contains all campaigns that are being sent. */
  let whole = true;
  let isLaterDue = false;
  const resting = new Map<string, number>();

  let looking: Promise<void> | undefined;
  /** Counts forced refreshes; the view is that of an earlier one until the lanes are read again. */
  let refreshes = 0;
  let seenRefreshes = 0;

  /** Concurrent callers share one refresh. */
  function look(): Promise<void> {
    looking ??= readLanes().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  /** One that began before a forced refresh does not count as that refresh. */
  async function lookIfNeeded() {
    if (seenRefreshes === refreshes && Date.now() - seenAt <= viewMs) return;
    await look();
    if (seenRefreshes !== refreshes) await look();
  }

  async function readLanes() {
    const began = Date.now();
    const beganWith = refreshes;
    const [sending, messaging, waiting, pausedNow] = await Promise.all([
      campaigns.sending(lastCampaign, most.campaigns),
      queue.accountsWithWorkflowMessages(lastAccount, most.accounts),
      queue.accountsWithMessages(lastUrgent, most.accounts),
      paused(),
    ]);
    stopped = pausedNow;
    const first = waiting.accountIds.map(
      (accountId): Lane => ({ key: `messages of ${accountId}`, accountId, campaignId: null, isUrgent: true }),
    );
    const messages = messaging.accountIds.map((accountId): Lane => ({ key: `workflows of ${accountId}`, accountId, campaignId: null }));
    const lanes: OpenLane[] = [...first, ...sending.lanes, ...messages].filter(
      (lane) => !suspended.has(lane.accountId) && (isUrgent(lane) || !stopped.has(lane.accountId)),
    );
    whole = lastCampaign === null && sending.last === null;
    [lastCampaign, lastAccount, lastUrgent] = [sending.last, messaging.last, waiting.last];
    open = new Set(lanes.map(({ key }) => key));
    urgent = Map.groupBy(lanes.filter(isUrgent), ({ accountId }) => accountId);
    byAccount = Map.groupBy(
      lanes.filter((lane) => !isUrgent(lane)),
      ({ accountId }) => accountId,
    );
    isLaterDue = open.size === 0 && (await queue.hasLaterMessages());
    for (const key of resting.keys()) if (!open.has(key)) resting.delete(key);
    seenAt = began;
    seenRefreshes = beganWith;
  }

  /** The next of these lanes that does not rest. */
  function take(groups: ReadonlyMap<string, OpenLane[]>): OpenLane | undefined {
    const accounts = [...groups.values()];
    const now = Date.now();
    for (let step = 0; step < accounts.length; step += 1) {
      turn += 1;
      const lanes = accounts[turn % accounts.length];
      const index = lanes?.findIndex(({ key }) => (resting.get(key) ?? 0) <= now) ?? -1;
      const [lane] = index < 0 ? [] : (lanes?.splice(index, 1) ?? []);
      if (!lane) continue;
      lanes?.push(lane);
      return lane;
    }
    return undefined;
  }

  return {
    /** The next lane that may have emails due; only lanes of messages if `onlyUrgent`. */
    async next(onlyUrgent = false): Promise<OpenLane | undefined> {
      await lookIfNeeded();
      return take(urgent) ?? (onlyUrgent ? undefined : take(byAccount));
    },

    /**
     * Whether an email of the lane may still be sent; false for a paused or cancelled campaign, for a suspended account, and for one
     * that has stopped all sending, if the email follows that.
     */
    async isOpen({ key, accountId, campaignId }: OpenLane, row: PausableRow): Promise<boolean> {
      if (suspended.has(accountId)) return false;
      await lookIfNeeded();
      if (stopped.has(accountId) && isPausable(row)) return false;
      if (campaignId === null) return true;
      return open.has(key) || (!whole && campaigns.isSending(accountId, campaignId));
    },

    /** Whether time alone may make an email due. */
    awaitsTime: () => open.size > 0 || isLaterDue,

    rest: ({ key }: OpenLane) => resting.set(key, Date.now() + restMs),

    /** Forces a refresh, because something may be due or must stop. */
    refresh() {
      refreshes += 1;
      resting.clear();
    },
  };
}

/** Whether the lane is one of messages. */
export const isUrgent = (lane: OpenLane) => 'isUrgent' in lane && lane.isUrgent === true;
