import { CampaignCoupons } from '@mp/contracts/requests/campaigns';
import type { Broker } from '@mp/service-kit/broker';
import type { CouponsStore } from './coupons-store.ts';

/** The coupons that the emails of workflows can read, and what is left of some. */
export const replyWithCoupons =
  (broker: Broker, { coupons }: { coupons: Pick<CouponsStore, 'names' | 'findByName' | 'left'> }) =>
  () =>
    broker.reply(CampaignCoupons, async ({ account_id, count }) => {
      const counted = [];
      for (const name of count) {
        const coupon = await coupons.findByName(account_id, name);
        if (!coupon) continue;
        const { id, single_use, expires_at } = coupon;
        counted.push({ name, codes_left: single_use ? await coupons.left(account_id, id) : null, expires_at });
      }
      return { names: await coupons.names(account_id), counted };
    });
