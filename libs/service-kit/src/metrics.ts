import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Server as FastifyServer } from './create-server.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of one process, scraped from a port of their own so that they are never public. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  let server: Server | undefined;

  return {
    registry,

    observe(app: FastifyServer) {
      app.addHook('onResponse', async (request, reply) => {
        duration.observe(
          { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode },
          reply.elapsedTime / 1_000,
        );
      });
    },

    /** A number that is read when it is scraped. */
    gauge(name: string, help: string, read: () => Promise<number>) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },

    /** Something that is counted, by labels that have few values. */
    counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
      return new Counter({ name, help, labelNames, registers: [registry] });
    },

    async start(host: string, port: number) {
      collectDefaultMetrics({ register: registry });
      const listening = createServer((_, response) => {
        registry.metrics().then(
          (text) => response.setHeader('content-type', registry.contentType).end(text),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      });
      server = listening;
      await new Promise<void>((resolve) => listening.listen(port, host, resolve));
    },
    stop: async () => {
      server?.close();
    },
  };
}
