import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { couponId } from '@mp/contracts/ids';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { CouponsStore } from './coupons-store.ts';

/** The ID of something of the account that reads the coupon and is not sent yet. */
type FindReader = (tx: Transaction, accountId: AccountId, coupon: string) => Promise<string | undefined>;

type Deps = {
  coupons: CouponsStore;
  campaigns: { readingCoupon: FindReader };
  templates: { readingCoupon: FindReader };
  transact: Transact;
};

export function deleteCoupon(app: Server, { coupons, campaigns, templates, transact }: Deps) {
  app.delete(
    '/v2/campaigns/coupons/:id',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'deleteCoupon',
        summary: 'Delete a coupon',
        description:
          'Deletes the coupon and its codes; the ledger keeps those that were handed out. Fails with 409 while a template, or a campaign that ' +
          'is not sent yet, uses it. Emails of workflows that use it are skipped from then on.',
        params: z.object({ id: couponId.describe('The ID of the coupon.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const coupon = await coupons.get(accountId, request.params.id, tx);
        requireMatch(request, coupon);
        const { name } = coupon;
        const user = (await campaigns.readingCoupon(tx, accountId, name)) ?? (await templates.readingCoupon(tx, accountId, name));
        if (user !== undefined)
          throw new ApiError('CONFLICT', `${user} uses this coupon; change or delete it first.`, {
            details: [{ path: '', code: 'in_use', message: 'A template or a campaign uses this coupon.', existing_id: user }],
          });
        await coupons.remove(tx, accountId, coupon.id);
        return { status: 200, data: { id: coupon.id, deleted: true } };
      }),
  );
}
