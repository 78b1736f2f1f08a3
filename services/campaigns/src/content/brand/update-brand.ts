import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { Brand } from './brand.ts';
import type { BrandsStore } from './brands-store.ts';

/** The fields of `change` that are set. */
const given = <T extends object>(change: T) => Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

export function updateBrand(app: Server, { brands, transact }: { brands: BrandsStore; transact: Transact }) {
  app.put(
    '/v2/campaigns/brand',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'updateBrand',
        summary: 'Update the brand of the account',
        description:
          'Logo, colors, font, postal address and footer, which editors use for new emails. Omitted fields keep their value; null clears. ' +
          'Existing emails and templates are not changed.',
        querystring: noQuery,
        body: Brand.partial(),
        response: { 200: success(Brand) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const data = Brand.parse({ ...(await brands.of(accountId, tx)), ...given(request.body) });
        await brands.replace(tx, accountId, data);
        return { status: 200, data };
      }),
  );
}
