import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

export type Next = (error?: unknown) => void;
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void;

type GatewayConfig = { pipelines?: Record<string, object>; apiEndpoints?: Record<string, object> };
type Config = { gatewayConfigPath: string; gatewayConfig: GatewayConfig; loadGatewayConfig: () => void };

/** The parts of express-gateway's CommonJS modules that are used here, and the Express that it uses. */
type Modules = {
  express: { Router: () => Middleware };
  'express-gateway': () => { load: (folder: string) => { run: () => Promise<[{ app: Server }, unknown]> } };
  'express-gateway/lib/policies': {
    register: (policy: {
      name: string;
      schema: { $id: string; properties?: object };
      policy: (action: { getCommonAuthCallback?: unknown }) => Middleware;
    }) => void;
  };
  'express-gateway/lib/config': Config;
  /** Adds the pipelines of a configuration to an Express router, and returns it. */
  'express-gateway/lib/gateway/pipelines': { bootstrap: (target: { app: Middleware; config: Config }) => Promise<Middleware> };
  'express-gateway/lib/eventBus': { once: (event: 'http-ready', ready: (ready: { httpServer: Server }) => void) => void };
  'express-gateway/lib/logger': Record<string, unknown>;
};

const own = createRequire(import.meta.url);

export const loadModule = <Name extends keyof Modules>(name: Name): Modules[Name] =>
  name === 'express' ? createRequire(own.resolve('express-gateway'))(name) : own(name);
