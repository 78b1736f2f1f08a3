import type { IncomingMessage, Server } from 'node:http';
import { loggedPath } from '@mp/service-kit/logged-path';
import type { Parts } from '@mp/service-kit/service-parts';
import { inSpan } from '@mp/service-kit/traces';
import type { Upstreams } from '../forwarding/upstreams.ts';
import type { Policies } from '../policies/policy.ts';
import { configFolder as ownConfigFolder } from '../routes/generated-config.ts';
import { createClientAddress } from './client-address.ts';
import { startExpressGateway } from './express-gateway.ts';
import { createHandleRequest, type HandleRequestParts } from './handle-request.ts';
import { createInFlight } from './in-flight.ts';
import { handleNodeHttpErrors } from './node-http-errors.ts';
import { setServerLimits } from './server-limits.ts';

type ListenerConfig = {
  host: string;
  port: number;
  trustedProxies: readonly string[];
  parts: Parts;
  policies: Policies;
  upstreams: Upstreams;
  requestParts: Omit<HandleRequestParts, 'logger' | 'addressOf'>;
  /** Tests edit the configuration. */
  configFolder?: string | undefined;
};

/** How long in-flight requests may take to finish when the gateway stops. */
const drainMs = 20_000;

/** The public listener: express-gateway with our policies. */
export function createListener(config: ListenerConfig) {
  const { host, port, trustedProxies, parts, policies, upstreams, requestParts, configFolder = ownConfigFolder } = config;
  let server: Server | undefined;
  let draining = false;
  let stopped = false;
  const inFlight = createInFlight();
  const handle = createHandleRequest({
    ...requestParts,
    logger: parts.logger,
    addressOf: createClientAddress(trustedProxies, parts.logger),
  });

  /**
   * Continues to accept requests, but every response closes its connection. Without this, a keep-alive client could send its next
   * request at the very moment when a stop closes the connection, and lose it.
   */
  function drain() {
    draining = true;
    for (const res of inFlight) if (!res.headersSent) res.setHeader('connection', 'close');
  }

  return {
    /** `ownAddress` is the URL of the gateway's own API, which is reached like any service. Returns the public URL. */
    async start(ownAddress: string) {
      upstreams.add('gateway', ownAddress);
      server = await startExpressGateway({
        folder: configFolder,
        host,
        port,
        policies,
        logger: parts.logger,
        prepare(listening) {
          setServerLimits(listening);
          handleNodeHttpErrors(listening, inFlight, requestParts.site);
        },
        handleRequest: (req, res, run) => {
          // Makes keep-alive clients open a new connection for their next request.
          if (draining) res.setHeader('connection', 'close');
          const done = inFlight.add(res);
          res.once('close', () => {
            done();
            if (stopped) server?.closeIdleConnections();
          });
          return parts.traced && !req.url?.startsWith('/health/') ? traced(req, () => handle(req, res, run)) : handle(req, res, run);
        },
      });
      const address = server.address();
      return typeof address === 'object' && address !== null ? `http://${host}:${address.port}` : String(address);
    },

    drain,

    /** Rejects new connections and lets in-flight requests finish. */
    async stop() {
      drain();
      stopped = true;
      const stopping = server;
      if (stopping) {
        const closed = new Promise<void>((resolve) => stopping.close(() => resolve()));
        stopping.closeIdleConnections();
        const late = setTimeout(() => stopping.closeAllConnections(), drainMs);
        await closed;
        clearTimeout(late);
      }
      await upstreams.stop();
    },
  };
}

/** `handleRequest` names the span by its route. Queries are not recorded, because they may be confidential. */
function traced(req: IncomingMessage, handle: () => Promise<void>): Promise<void> {
  const { method = '', url = '' } = req;
  const attributes = { 'http.request.method': method, 'url.scheme': 'http', 'url.path': loggedPath(url) };
  return inSpan(method, { kind: 'server', parent: req.headers.traceparent, attributes }, handle);
}
