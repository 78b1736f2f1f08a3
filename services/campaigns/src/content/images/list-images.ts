import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Image } from './image.ts';
import type { ImagesStore } from './images-store.ts';

export function listImages(app: Server, { images }: { images: ImagesStore }) {
  app.get(
    '/v2/campaigns/images',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listImages',
        summary: 'List images, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(Image) },
      },
    },
    async (request, reply) => {
      const found = await images.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
