import type { Server } from '@mp/service-kit/create-server';

/** Sends visitors to the host of forms, such as from links in emails that were sent before forms had a host of their own. */
export const redirectForms = (app: Server, formsUrl: string) =>
  app.get('/f/*', { schema: { hide: true } }, async (request, reply) =>
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(`${formsUrl}${request.url}`, 307),
  );
