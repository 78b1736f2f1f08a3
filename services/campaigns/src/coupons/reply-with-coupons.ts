import { CampaignCoupons } from '@mp/contracts/requests/campaigns';
import type { Broker } from '@mp/service-kit/broker';
import type { CouponsStore } from './coupons-store.ts';

/** The coupons that the emails of workflows can read. */
export const replyWithCoupons =
  (broker: Broker, { coupons }: { coupons: Pick<CouponsStore, 'names'> }) =>
  () =>
    broker.reply(CampaignCoupons, async ({ account_id }) => ({ names: await coupons.names(account_id) }));
