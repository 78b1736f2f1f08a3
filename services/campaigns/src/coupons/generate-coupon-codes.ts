import { randomBytes } from 'node:crypto';
import { success } from '@mp/contracts/envelope';
import { couponId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { AddedCodes, GenerateCodes } from './coupon.ts';
import type { CouponsStore } from './coupons-store.ts';

/** Without 0, O, 1 and I, which look alike. 32 characters, so that a byte chooses each with the same probability. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Codes that cannot be guessed from each other, all different. */
export function generatedCodes({ count, prefix, length }: GenerateCodes): string[] {
  const made = new Set<string>();
  while (made.size < count) made.add(prefix + Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join(''));
  return [...made];
}

export function generateCouponCodes(app: Server, { coupons, transact }: { coupons: CouponsStore; transact: Transact }) {
  app.post(
    '/v2/campaigns/coupons/:id/generate',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'generateCouponCodes',
        summary: 'Generate codes of a coupon',
        description:
          'Adds random codes without characters that look alike. `Idempotency-Key` makes a retry safe; without it, a retry adds more codes.',
        params: z.object({ id: couponId.describe('The ID of the coupon.') }),
        body: GenerateCodes,
        response: { 200: success(AddedCodes) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => ({
        status: 200,
        data: await coupons.addCodes(tx, request.principal.accountId, request.params.id, generatedCodes(request.body)),
      })),
  );
}
