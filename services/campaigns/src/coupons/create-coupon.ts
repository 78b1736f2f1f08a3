import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { codesBodyLimit } from './add-coupon-codes.ts';
import { Coupon, CreateCouponBody, type StoredCoupon } from './coupon.ts';
import type { CouponsStore } from './coupons-store.ts';
import { generatedCodes } from './generate-coupon-codes.ts';

export function createCoupon(app: Server, { coupons, transact }: { coupons: CouponsStore; transact: Transact }) {
  app.post(
    '/v2/campaigns/coupons',
    {
      config: { scope: 'campaigns:write', bodyLimit: codesBodyLimit },
      schema: {
        operationId: 'createCoupon',
        summary: 'Create a coupon',
        description:
          'A coupon is a pool of codes. An email with `{{ coupon.<name> }}` hands out one code to each recipient, exactly once for each contact ' +
          'and campaign, message or step of a run; an email can use one coupon. Recipients that find no code left are skipped with the reason ' +
          '`coupon_exhausted`. Previews and tests show a placeholder and use no code. With `single_use: false`, the coupon has one code, and ' +
          'all recipients get it.',
        body: CreateCouponBody,
        response: { 201: success(Coupon) },
      },
    },
    (request, reply) => {
      const { name, description, single_use, expires_at, generate, codes } = request.body;
      const added = codes ?? (generate ? generatedCodes(generate) : []);
      if (!single_use && added.length !== 1)
        throw invalid('/codes', 'one_code', 'A coupon that is not single use has exactly one code; set it in codes.');
      return transact(request, reply, async (tx) => {
        const at = new Date().toISOString();
        const fields = { name, description: description || null, single_use };
        const expiry = expires_at ? new Date(expires_at).toISOString() : null;
        const made: StoredCoupon = {
          ...{ id: newId('coupon'), ...fields, expires_at: expiry, codes_count: 0 },
          ...{ revision: 1, created_at: at, updated_at: at },
        };
        const coupon = await coupons.insert(tx, request.principal.accountId, made, added);
        return { status: 201, data: coupon, location: `/v2/campaigns/coupons/${coupon.id}`, etag: etagOf(coupon) };
      });
    },
  );
}
