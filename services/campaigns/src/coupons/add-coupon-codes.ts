import { success } from '@mp/contracts/envelope';
import { couponId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { AddedCodes, codes, maxAdded, maxCodes } from './coupon.ts';
import type { CouponsStore } from './coupons-store.ts';

/** Enough for the codes of one request. */
export const codesBodyLimit = 2 * 1_048_576;

export function addCouponCodes(app: Server, { coupons, transact }: { coupons: CouponsStore; transact: Transact }) {
  app.post(
    '/v2/campaigns/coupons/:id/codes',
    {
      config: { scope: 'campaigns:write', bodyLimit: codesBodyLimit },
      schema: {
        operationId: 'addCouponCodes',
        summary: 'Add codes to a coupon',
        description: `Adds up to ${maxAdded} codes; a coupon can have ${maxCodes}. Codes that the coupon already has, handed out or not, are counted as duplicates and not added again.`,
        params: z.object({ id: couponId.describe('The ID of the coupon.') }),
        body: z.strictObject({ codes }),
        response: { 200: success(AddedCodes) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => ({
        status: 200,
        data: await coupons.addCodes(tx, request.principal.accountId, request.params.id, request.body.codes),
      })),
  );
}
