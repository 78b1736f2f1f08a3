import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { ImagesStore } from './images-store.ts';

/** Images never change, so mail clients and their proxies can keep them. */
const headers = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  // Mail clients on the web show images from other origins.
  'cross-origin-resource-policy': 'cross-origin',
  'x-robots-tag': 'noindex',
};

/** `GET /t/i/:file`: an image of an email. */
export function showImage(app: Server, { images }: { images: ImagesStore }) {
  app.get(
    '/t/i/:file',
    { schema: { hide: true, params: z.object({ file: z.string() }), querystring: z.object({}) } },
    async (request, reply) => {
      const found = await images.contentOf(request.params.file);
      if (!found) throw notFound();
      return reply.headers(headers).type(found.content_type).send(Buffer.from(found.bytes));
    },
  );
}
