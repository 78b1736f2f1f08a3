import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { BrandView } from './brand.ts';
import type { BrandsStore } from './brands-store.ts';

export function getBrand(app: Server, { brands }: { brands: BrandsStore }) {
  app.get(
    '/v2/campaigns/brand',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getBrand',
        summary: 'Get the brand of the account',
        response: { 200: success(BrandView) },
      },
    },
    async (request, reply) => {
      const data = await brands.of(request.principal.accountId);
      reply.header('etag', etagOf(data));
      return { success: true as const, data };
    },
  );
}
