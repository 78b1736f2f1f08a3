import { success } from '@mp/contracts/envelope';
import { couponId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { Coupon } from './coupon.ts';
import type { CouponsStore } from './coupons-store.ts';

export function getCoupon(app: Server, { coupons }: { coupons: CouponsStore }) {
  app.get(
    '/v2/campaigns/coupons/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCoupon',
        summary: 'Get a coupon',
        params: z.object({ id: couponId.describe('The ID of the coupon.') }),
        response: { 200: success(Coupon) },
      },
    },
    async (request, reply) => {
      const coupon = await coupons.get(request.principal.accountId, request.params.id);
      return reply.header('etag', etagOf(coupon)).send({ success: true, data: coupon });
    },
  );
}
