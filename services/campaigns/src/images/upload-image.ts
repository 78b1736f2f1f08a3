import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { Image, maxImageBytes, maxImages, maxSide, maxTotalBytes, maxUploadBytes, UploadImageBody } from './image.ts';
import { ImageFault } from './image-file.ts';
import type { ImagesStore } from './images-store.ts';
import { readImage } from './read-image.ts';

/** Throws VALIDATION_ERROR if the file is not an image that emails can show. */
function imageIn(content: string) {
  const file = Buffer.from(content, 'base64');
  if (file.length > maxImageBytes) throw invalid('/content', 'too_big', 'An image can be at most 5 MiB.');
  try {
    return readImage(file);
  } catch (error) {
    throw error instanceof ImageFault ? invalid('/content', error.code, error.message) : error;
  }
}

export function uploadImage(app: Server, { images, transact }: { images: ImagesStore; transact: Transact }) {
  app.post(
    '/v2/campaigns/images',
    {
      config: { scope: 'campaigns:write', bodyLimit: maxUploadBytes },
      schema: {
        operationId: 'uploadImage',
        summary: 'Upload an image',
        description:
          'Stores a PNG, JPEG, GIF or WebP of at most 5 MiB for use in emails, and returns its public URL. The type and the size are read ' +
          'from the content, whatever the name says. Metadata, such as the place where a photo was taken, comments, and anything after the ' +
          `end of the image are removed; the pixels are not changed. An image can have at most ${maxSide} × ${maxSide} pixels. An account ` +
          `can store ${maxImages} images and ${maxTotalBytes / 1_048_576} MiB; another one fails with 403.`,
        querystring: noQuery,
        body: UploadImageBody,
        response: { 201: success(Image) },
      },
    },
    (request, reply) => {
      const { name, content } = request.body;
      const read = imageIn(content);
      return transact(request, reply, async (tx) => {
        const image = await images.insert(tx, request.principal.accountId, { name, ...read });
        return { status: 201, data: image, location: `/v2/campaigns/images/${image.id}` };
      });
    },
  );
}
