import type { IncomingMessage } from 'node:http';
import { notFound } from '@mp/contracts/errors';
import type { Exchange } from '../exchange.ts';
import type { Pipeline } from '../policies/compile-pipelines.ts';
import type { Policies, Step } from '../policies/policy.ts';
import type { PathGroup } from '../routes/path-groups.ts';
import { loadModule, type Middleware } from './express-gateway-modules.ts';

/** Runs each request through the pipeline of its path group: its compiled steps, or Express if a policy of it is not ours. */
export function createRunPipelines(pipelines: Record<PathGroup, Pipeline>, policies: Policies) {
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const routers = new Map<PathGroup, Middleware>();

  const exchangeOf = (req: IncomingMessage): Exchange => {
    const exchange = exchanges.get(req);
    if (!exchange) throw new Error('express-gateway has replaced the request');
    return exchange;
  };

  const middleware =
    (step: Step): Middleware =>
    (req, _res, next) => {
      const exchange = exchangeOf(req);
      const run = async () => step(exchange);
      run().then(() => exchange.ended === undefined && next(), next);
    };

  /** express-gateway would choose a pipeline by the decoded path, whatever its case. Each gets a router, and the choice is ours. */
  async function bootstrapEach({ config }: Parameters<typeof bootstrap>[0]): Promise<Middleware> {
    const { gatewayConfig } = config;
    for (const { name, pathGroup } of Object.values(pipelines)) {
      const only = {
        ...gatewayConfig,
        apiEndpoints: {
          [pathGroup]: { ...gatewayConfig.apiEndpoints?.[pathGroup], pathRegex: '^', hostRegex: undefined, host: '*', methods: '*' },
        },
        pipelines: { [name]: gatewayConfig.pipelines?.[name] },
      };
      const app = loadModule('express').Router();
      routers.set(pathGroup, await bootstrap({ app, config: Object.create(config, { gatewayConfig: { value: only } }) }));
    }
    return (req, res, next) => routers.get(exchangeOf(req).pathGroup)?.(req, res, next);
  }

  const module = loadModule('express-gateway/lib/gateway/pipelines');
  const { bootstrap } = module;

  return {
    /** Until the returned function is called, a gateway that starts has our policies and pipelines. */
    install() {
      for (const [name, { schema, step }] of Object.entries(policies))
        loadModule('express-gateway/lib/policies').register({
          name,
          // express-gateway adds this function to the options of every policy.
          schema: { ...schema, properties: { ...schema.properties, getCommonAuthCallback: {} }, $id: `urn:mp:policy:${name}` },
          policy: ({ getCommonAuthCallback: _, ...options }) => middleware(step(options)),
        });
      Object.assign(module, { bootstrap: bootstrapEach });
      return () => void Object.assign(module, { bootstrap });
    },

    through(app: unknown) {
      if (typeof app !== 'function') throw new Error('express-gateway serves no Express app');
      return (exchange: Exchange): Promise<void> => {
        const { steps } = pipelines[exchange.pathGroup];
        if (steps) return runSteps(steps, exchange);
        exchanges.set(exchange.req, exchange);
        return new Promise((resolve, reject) => {
          exchange.res.once('close', resolve);
          app(exchange.req, exchange.res, (error: unknown) => reject(error ?? notFound()));
        });
      };
    },
  };
}

async function runSteps(steps: readonly Step[], exchange: Exchange) {
  for (const step of steps) {
    const waiting = step(exchange);
    if (waiting instanceof Promise) await waiting;
  }
  if (exchange.ended === undefined) throw notFound();
}
