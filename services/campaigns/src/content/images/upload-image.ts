import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { createAdmitUpload } from './admit-upload.ts';
import { Image, maxImages, maxSide, maxTotalBytes, maxUploadBytes, UploadImageBody } from './image.ts';
import type { ImagesStore } from './images-store.ts';
import type { ReadUpload } from './read-upload.ts';

export function uploadImage(
  app: Server,
  { images, readUpload, transact }: { images: ImagesStore; readUpload: ReadUpload; transact: Transact },
) {
  app.post(
    '/v2/campaigns/images',
    {
      config: { scope: 'campaigns:write', bodyLimit: maxUploadBytes },
      onRequest: createAdmitUpload(),
      schema: {
        operationId: 'uploadImage',
        summary: 'Upload an image',
        description:
          'Stores a PNG, JPEG, GIF or WebP of at most 5 MiB for use in emails, and returns its public URL. The type and the size are read ' +
          'from the content, whatever the name says. Metadata, such as the place where a photo was taken, comments, and anything after the ' +
          `end of the image are removed; the pixels are not changed. An image can have at most ${maxSide} × ${maxSide} pixels. An account ` +
          `can store ${maxImages} images and ${maxTotalBytes / 1_048_576} MiB; another one fails with 403.`,
        body: UploadImageBody,
        response: { 201: success(Image) },
      },
    },
    async (request, reply) => {
      const { name, content } = request.body;
      const read = await readUpload(request.principal.accountId, content);
      return transact(request, reply, async (tx) => {
        const image = await images.insert(tx, request.principal.accountId, { name, ...read });
        return { status: 201, data: image, location: `/v2/campaigns/images/${image.id}` };
      });
    },
  );
}
