import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Logger } from '@mp/service-kit/logger';
import { compilePipelines } from '../policies/compile-pipelines.ts';
import type { Policies } from '../policies/policy.ts';
import { loadModule } from './express-gateway-modules.ts';
import type { HandleRequest } from './handle-request.ts';
import { createRunPipelines } from './run-pipelines.ts';

export type ExpressGatewayConfig = {
  /** Folder of system.config.yml, gateway.config.yml and models/. */
  folder: string;
  host: string;
  port: number;
  policies: Policies;
  handleRequest: HandleRequest;
  /** Called before the first request, to set time-outs and handle protocol errors. */
  prepare: (server: Server) => void;
  logger: Logger;
};

/**
 * Starts express-gateway with our policies. Rejects if gateway.config.yml names an unknown policy or has an unsafe pipeline,
 * because a gateway must not run without its rules.
 *
 * No plugin is configured, because plugins load express-gateway's own services, which connect to Redis. The configuration is
 * not watched, because a reload would not replace a pipeline.
 */
export async function startExpressGateway(options: ExpressGatewayConfig): Promise<Server> {
  const { folder, host, port, policies, handleRequest, prepare, logger } = options;
  process.env.EG_CONFIG_DIR = folder;
  process.env.EG_DISABLE_CONFIG_WATCH = '1';
  // Read by gateway.config.yml.
  process.env.HOST = host;
  process.env.PORT = String(port);

  for (const log of Object.values(loadModule('express-gateway/lib/logger'))) redirect(log, logger);
  // Read again, because the module keeps what it has read for another gateway of this process.
  const config = Object.assign(loadModule('express-gateway/lib/config'), { gatewayConfigPath: join(folder, 'gateway.config.yml') });
  config.loadGatewayConfig();
  const pipelines = createRunPipelines(compilePipelines(config.gatewayConfig, policies), policies);
  loadModule('express-gateway/lib/eventBus').once('http-ready', ({ httpServer }) => {
    const run = pipelines.through(httpServer.listeners('request')[0]);
    httpServer.removeAllListeners('request');
    httpServer.on('request', (req: IncomingMessage, res: ServerResponse) => {
      void handleRequest(req, res, run).catch((err: unknown) => {
        logger.error({ err }, 'request aborted by an unexpected error');
        res.destroy();
      });
    });
    prepare(httpServer);
  });
  const restore = [checkSlowClientsOften(), pipelines.install()];
  try {
    const [{ app }] = await loadModule('express-gateway')().load(folder).run();
    return app;
  } finally {
    for (const undo of restore) undo();
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
