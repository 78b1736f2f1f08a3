import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, includeTotal, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Coupon } from './coupon.ts';
import type { CouponsStore } from './coupons-store.ts';

const Query = z.strictObject({
  ...listQuery,
  include: includeTotal,
  sort: z.enum(['created_at', '-created_at', 'name', '-name']).default('-created_at').describe('The order; `-` means descending.'),
});

export function listCoupons(app: Server, { coupons }: { coupons: CouponsStore }) {
  app.get(
    '/v2/campaigns/coupons',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listCoupons',
        summary: 'List coupons',
        description: 'Without their codes; the ledger of a campaign has the code of each recipient.',
        querystring: Query,
        response: { 200: page(Coupon) },
      },
    },
    async (request, reply) => {
      const found = await coupons.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
