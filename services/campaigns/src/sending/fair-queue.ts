import type { Suspended } from '@mp/service-kit/suspensions';
import type { CampaignsQueue, SendingLane } from '../campaigns/campaigns-queue.ts';
import type { Lane, RecipientsQueue } from '../recipients/recipients-queue.ts';

export type OpenLane = Lane | SendingLane;

type Deps = { campaigns: CampaignsQueue; queue: RecipientsQueue; suspended: Suspended };

/** How old the view of what is being sent may be: a pause takes effect within this time in every process. */
const viewMs = 250;

/** How long a lane that had nothing due is left alone. */
const restMs = 150;

/**
 * What there is to send, taken in turns: every account gets its turn, and within an account every campaign, so that
 * nobody waits behind somebody else's million. Where there is more than one look takes in, looks follow each other through
 * all of it.
 */
export function createLanes({ campaigns, queue, suspended }: Deps, most = { campaigns: 5_000, accounts: 1_000 }) {
  let byAccount = new Map<string, OpenLane[]>();
  let open = new Set<string>();
  let seenAt = 0;
  let turn = 0;
  /** Where the next look goes on when there is more to send than one of them takes in. */
  let [lastCampaign, lastAccount] = ['', ''];
  /** Whether the view holds all campaigns that are being sent. */
  let whole = true;
  const resting = new Map<string, number>();

  let looking: Promise<void> | undefined;

  /** One look serves everybody who waits for it. */
  function look(): Promise<void> {
    looking ??= lookAround().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function lookAround() {
    const began = Date.now();
    const [sending, messaging] = await Promise.all([
      campaigns.sending(lastCampaign, most.campaigns),
      queue.accountsWithWorkflowMessages(lastAccount, most.accounts),
    ]);
    const messages = messaging.accountIds.map((accountId): Lane => ({ key: `workflows of ${accountId}`, accountId, campaignId: null }));
    const lanes: OpenLane[] = [...sending.lanes, ...messages].filter(({ accountId }) => !suspended.has(accountId));
    whole = lastCampaign === '' && sending.last === '';
    [lastCampaign, lastAccount] = [sending.last, messaging.last];
    open = new Set(lanes.map(({ key }) => key));
    byAccount = Map.groupBy(lanes, ({ accountId }) => accountId);
    for (const key of resting.keys()) if (!open.has(key)) resting.delete(key);
    seenAt = began;
  }

  return {
    /** The next lane in turn that may have something due. */
    async next(): Promise<OpenLane | undefined> {
      if (Date.now() - seenAt > viewMs) await look();
      const accounts = [...byAccount.values()];
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
    },

    /** Whether this is still to be sent; a paused or cancelled campaign is not, nor anything of a suspended account. */
    async isOpen({ key, accountId, campaignId }: OpenLane): Promise<boolean> {
      if (suspended.has(accountId)) return false;
      if (campaignId === null) return true;
      if (Date.now() - seenAt > viewMs) await look();
      return open.has(key) || (!whole && campaigns.isSending(accountId, campaignId));
    },

    rest: ({ key }: OpenLane) => resting.set(key, Date.now() + restMs),

    /** Something new may be due, or something must stop: look at once. */
    refresh() {
      seenAt = 0;
      resting.clear();
    },
  };
}
