import { publicUrlHeader, unknownPath } from '@mp/contracts/errors';
import type { FastifyInstance } from 'fastify';
import { isPublishableKey } from '../sites/publishable-key.ts';

/**
 * The settings that analytics.js reads from its CDN before it sends anything: there is one destination, this server, no other code to
 * load and no metrics to send. They are public, and the same for every key, so none is looked up.
 */
export function serveSettings(app: FastifyInstance, corsHeaders: Record<string, string>) {
  const path = '/v1/projects/:key/settings';
  app.options(path, { schema: { hide: true } }, async (_, reply) =>
    reply
      .code(204)
      .headers({ ...corsHeaders, 'access-control-allow-methods': 'GET' })
      .send(),
  );
  app.get<{ Params: { key: string } }>(path, { schema: { hide: true } }, async (request, reply) => {
    const { key } = request.params;
    if (!isPublishableKey(key)) throw unknownPath(request.url);
    const header = request.headers[publicUrlHeader];
    const { host, protocol } = new URL(typeof header === 'string' ? header : 'http://localhost');
    const apiHost = `${host}/v1`;
    const settings = {
      integrations: {
        'Segment.io': {
          apiKey: key,
          apiHost,
          protocol: protocol.slice(0, -1),
          type: 'server',
          versionSettings: { version: '4.4.7', componentTypes: ['browser'] },
        },
      },
      plan: {
        track: { __default: { enabled: true, integrations: {} } },
        identify: { __default: { enabled: true } },
        group: { __default: { enabled: true } },
      },
      ...{ edgeFunction: {}, analyticsNextEnabled: true, middlewareSettings: {}, enabledMiddleware: {}, legacyVideoPluginsEnabled: false },
      ...{ metrics: { sampleRate: 0, host: apiHost }, remotePlugins: [] },
    };
    reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' });
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(settings));
  });
}
