import type { Server } from '@mp/service-kit/create-server';

/** The merged OpenAPI document of the platform, as `npm run generate` wrote it. */
export function serveOpenapi(app: Server, document: string) {
  app.get('/openapi.json', { schema: { hide: true } }, async (_, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=60').serializer(String).send(document),
  );
}
