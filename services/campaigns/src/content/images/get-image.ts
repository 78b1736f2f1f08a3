import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Image } from './image.ts';
import type { ImagesStore } from './images-store.ts';

export function getImage(app: Server, { images }: { images: ImagesStore }) {
  app.get(
    '/v2/campaigns/images/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getImage',
        summary: 'Get an image',
        params: z.object({ id: z.string().describe('The ID of the image.') }),
        response: { 200: success(Image) },
      },
    },
    async (request) => ({ success: true as const, data: await images.get(request.principal.accountId, request.params.id) }),
  );
}
