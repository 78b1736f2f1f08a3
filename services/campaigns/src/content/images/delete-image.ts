import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { ImagesStore } from './images-store.ts';

export function deleteImage(app: Server, { images, transact }: { images: ImagesStore; transact: Transact }) {
  app.delete(
    '/v2/campaigns/images/:id',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'deleteImage',
        summary: 'Delete an image',
        description: 'Emails that contain it, including those already sent, show its alternative text once caches expire.',
        params: z.object({ id: z.string().describe('The ID of the image.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        await images.remove(tx, request.principal.accountId, request.params.id);
        return { status: 200, data: { id: request.params.id, deleted: true } };
      }),
  );
}
