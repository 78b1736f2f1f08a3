import { success } from '@mp/contracts/envelope';
import { couponId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { Coupon, readOnly, UpdateCouponBody } from './coupon.ts';
import type { CouponsStore } from './coupons-store.ts';

/** The coupon with the changes of the request; the same object if it has none. */
function merged(before: Coupon, { description, expires_at }: UpdateCouponBody, now = new Date()): Coupon {
  const after = {
    ...before,
    ...(description !== undefined && { description: description || null }),
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : new Date(expires_at).toISOString() }),
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  return { ...after, revision: before.revision + 1, updated_at: now.toISOString() };
}

export function updateCoupon(app: Server, { coupons, transact }: { coupons: CouponsStore; transact: Transact }) {
  app.put(
    '/v2/campaigns/coupons/:id',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'updateCoupon',
        summary: 'Update a coupon',
        description:
          'Changes the description and the expiry. The name is part of emails and cannot be changed. Omitted fields keep their value; ' +
          '`null` clears a field. Send `If-Match` with the `ETag` to reject a stale update (optional).',
        params: z.object({ id: couponId.describe('The ID of the coupon.') }),
        body: UpdateCouponBody,
        response: { 200: success(Coupon) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await coupons.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        // How many codes are left changes while emails are sent, so what GET returned may be out of date.
        const { codes_left: _, ...compared } = readOnly.shape;
        rejectReadOnlyChanges(request.body, before, z.object(compared).keyof().options);
        const after = merged(before, request.body);
        if (after !== before) await coupons.replace(tx, accountId, after);
        return { status: 200, data: after, etag: etagOf(after) };
      }),
  );
}
