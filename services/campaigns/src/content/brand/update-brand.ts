import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { requireSettings, revised } from '@mp/service-kit/settings-revision';
import type { Transact } from '@mp/service-kit/transact';
import { Brand, BrandView } from './brand.ts';
import type { BrandsStore } from './brands-store.ts';

/** The fields of `change` that are set. */
const given = <T extends object>(change: T) => Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

export function updateBrand(app: Server, { brands, transact }: { brands: BrandsStore; transact: Transact }) {
  app.put(
    '/v2/campaigns/brand',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'updateBrand',
        summary: 'Update the brand of the account',
        description:
          'Logo, colors, font, postal address and footer, which the email editor uses for new emails. Omitted fields keep their value; ' +
          '`null` clears a field. Existing emails and templates are not changed.',
        body: BrandView.partial(),
        response: { 200: success(BrandView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await brands.of(accountId, tx);
        requireSettings(request, request.body, before);
        const { revision: _, ...chosen } = { ...before, ...given(request.body) };
        const data = revised(before, Brand.parse(chosen));
        await brands.replace(tx, accountId, data);
        return { status: 200, data, etag: etagOf(data) };
      }),
  );
}
