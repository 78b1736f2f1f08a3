import type { Broker } from './broker.ts';
import type { Server } from './create-server.ts';
import type { Mongo } from './mongo.ts';

const checkedEveryMs = 1_000;

/**
 * Live: the event loop runs. Ready: started and not draining. An unavailable dependency must not take every replica out of
 * service, so it only shows in `/health/dependencies`.
 */
export function createHealth({ mongo, broker }: { mongo: Mongo; broker: Broker }) {
  let serving = false;
  let draining = false;
  let checked: { at: number; results: Promise<readonly [boolean, boolean]> } | undefined;

  /** The route is public, so the dependencies are checked at most once a second. */
  function dependencies() {
    const at = performance.now();
    if (!checked || at - checked.at >= checkedEveryMs) checked = { at, results: Promise.all([mongo.ready(), broker.ready()]) };
    return checked.results;
  }

  return {
    serve(isServing: boolean) {
      draining = serving && !isServing;
      serving = isServing;
    },

    addRoutes(app: Server) {
      // Closes keep-alive connections after a response while draining; closed later, they could be closed during a request.
      app.addHook('onRequest', async (_, reply) => {
        if (draining) reply.header('connection', 'close');
      });
      app.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));
      app.get('/health/ready', { schema: { hide: true } }, async (_, reply) =>
        reply.code(serving ? 200 : 503).send({ status: serving ? 'ok' : 'not ready' }),
      );
      app.get('/health/dependencies', { schema: { hide: true } }, async (_, reply) => {
        const [mongodb, nats] = await dependencies();
        return reply.code(mongodb && nats ? 200 : 503).send({ mongodb: mongodb ? 'ok' : 'unavailable', nats: nats ? 'ok' : 'unavailable' });
      });
    },
  };
}
