import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import type { Logger } from '@mp/service-kit/logger';
import type { RequestPath } from './request-path.ts';

type Next = (error?: unknown) => void;
type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void;
type Run = (req: IncomingMessage, res: ServerResponse) => void;

/** The parts of express-gateway's CommonJS modules used here. */
type Modules = {
  'express-gateway': () => { load: (folder: string) => { run: () => Promise<[{ app: Server }, unknown]> } };
  'express-gateway/lib/policies': {
    register: (policy: { name: string; schema: { $id: string }; policy: () => Middleware }) => void;
  };
  'express-gateway/lib/config': { gatewayConfig: { pipelines: Record<string, { policies: readonly object[] }> } };
  'express-gateway/lib/eventBus': { once: (event: 'http-ready', ready: (ready: { httpServer: Server }) => void) => void };
  'express-gateway/lib/logger': Record<string, unknown>;
};

export type ExpressGatewayConfig = {
  /** Folder of system.config.yml, gateway.config.yml and models/. */
  folder: string;
  host: string;
  port: number;
  requestPath: RequestPath;
  /** Called before the first request, to set time-outs and handle protocol errors. */
  prepare: (server: Server) => void;
  logger: Logger;
};

/**
 * Starts express-gateway with our request path as its only policy. Rejects if a pipeline names an unknown policy, because a
 * gateway must not run without its rules.
 *
 * No plugin is configured, because plugins load express-gateway's own services, which connect to Redis. The configuration is
 * not watched, because a reload would not replace a policy.
 */
export async function startExpressGateway({ folder, host, port, requestPath, prepare, logger }: ExpressGatewayConfig): Promise<Server> {
  process.env.EG_CONFIG_DIR = folder;
  process.env.EG_DISABLE_CONFIG_WATCH = '1';
  // Read by gateway.config.yml.
  process.env.HOST = host;
  process.env.PORT = String(port);

  const require = createRequire(import.meta.url);
  const load = <Name extends keyof Modules>(name: Name): Modules[Name] => require(name);

  for (const log of Object.values(load('express-gateway/lib/logger'))) redirect(log, logger);
  const run = (req: IncomingMessage, res: ServerResponse) =>
    void requestPath(req, res).catch((err: unknown) => {
      logger.error({ err }, 'request aborted by an unexpected error');
      res.destroy();
    });
  load('express-gateway/lib/policies').register({ name: ourPolicy, schema: { $id: `urn:mp:policy:${ourPolicy}` }, policy: () => run });
  load('express-gateway/lib/eventBus').once('http-ready', ({ httpServer }) => {
    const pipelines = Object.values(load('express-gateway/lib/config').gatewayConfig.pipelines);
    if (pipelines.every(isOurs)) takeAll(httpServer, run);
    else takeTheRest(httpServer, run);
    prepare(httpServer);
  });
  const restore = checkSlowClientsOften();
  try {
    const [{ app }] = await load('express-gateway')().load(folder).run();
    return app;
  } finally {
    restore();
  }
}

/** Node checks for slow clients every 30 s by default, and express-gateway creates its server without options. */
function checkSlowClientsOften(): () => void {
  const { createServer } = http;
  const often = (listener: http.RequestListener) => createServer({ connectionsCheckingInterval: checkEveryMs }, listener);
  Object.assign(http, {
    createServer: (...given: [http.RequestListener] | [http.ServerOptions, http.RequestListener?]) =>
      typeof given[0] === 'function' ? often(given[0]) : createServer(given[0], given[1]),
  });
  return () => void Object.assign(http, { createServer });
}

/** Headers may take 15 s, so with this interval a client that sends them slowly is disconnected within 20 s. */
const checkEveryMs = 3_000;

const ourPolicy = 'request-path';

const isOurs = ({ policies }: { policies: readonly object[] }) =>
  policies.length === 1 && policies.every((policy) => Object.keys(policy).join() === ourPolicy);

/**
 * If our policy is the only one of every pipeline, the server passes requests directly to it. Finding the pipeline would
 * cost as much as everything else the gateway does (docs/decisions/0009).
 */
function takeAll(server: Server, run: Run) {
  server.removeAllListeners('request');
  server.on('request', run);
}

/**
 * Requests that match no pipeline, or that Express cannot parse (such as `%zz`), go through the same request path instead of
 * getting Express's error pages. These handlers run after express-gateway's router.
 */
function takeTheRest(server: Server, run: Run) {
  const [app] = server.listeners('request');
  if (typeof app !== 'function' || !('use' in app) || typeof app.use !== 'function')
    throw new Error('express-gateway serves no Express app');
  app.use(run);
  app.use((_error: unknown, req: IncomingMessage, res: ServerResponse, _next: Next) => run(req, res));
}

/** Sends express-gateway's coloured log text to our JSON logger. */
function redirect(log: unknown, logger: Logger) {
  if (!isWinston(log)) return;
  log.clear();
  log.pipe(
    new Writable({
      objectMode: true,
      write(entry: { level?: unknown; message?: unknown }, _encoding, done) {
        // The level contains colour codes. Info messages are dropped.
        const level = (['error', 'warn'] as const).find((name) => String(entry.level).includes(name));
        if (level) logger[level]({ from: 'express-gateway' }, String(entry.message));
        done();
      },
    }),
  );
}

type Winston = { clear: () => void; pipe: (to: Writable) => void };

function isWinston(log: unknown): log is Winston {
  return typeof log === 'object' && log !== null && 'clear' in log && 'pipe' in log;
}
