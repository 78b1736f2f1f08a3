import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Server as FastifyServer } from './create-server.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus waits ten seconds for an answer; a dependency that is away must not take the other numbers with it. */
const inTime = (read: Promise<number>): Promise<number | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), 3_000);
  return Promise.race([read.catch(() => undefined), late]).finally(() => clearTimeout(timer));
};

/** The metrics of one process, scraped from a port of their own so that they are never public. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  const events = {
    consumed: new Counter({
      name: 'events_consumed_total',
      help: 'Deliveries of events, by what came of them: done, failed (it will be tried again) or dead_lettered.',
      labelNames: ['consumer', 'outcome'],
      registers: [registry],
    }),
    age: new Histogram({
      name: 'event_age_seconds',
      help: 'How old an event was when it had taken effect.',
      labelNames: ['consumer'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
      registers: [registry],
    }),
    published: new Counter({
      name: 'outbox_published_events_total',
      help: 'Events that the broker acknowledged.',
      registers: [registry],
    }),
  };
  let server: Server | undefined;

  return {
    registry,
    events,

    observe(app: FastifyServer) {
      app.addHook('onResponse', async (request, reply) => {
        duration.observe(
          { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode },
          reply.elapsedTime / 1_000,
        );
      });
    },

    /** A number that is read when it is scraped. One that cannot be read, because a dependency is away, is left out. */
    gauge(name: string, help: string, read: () => Promise<number>) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await inTime(read());
          this.reset();
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    },

    /** The same for several things of a kind: each is read on its own, so that one that cannot be read hides no other. */
    gauges<Label extends string>(name: string, help: string, label: Label, readers: ReadonlyMap<string, () => Promise<number>>) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const values = await Promise.all([...readers].map(async ([key, read]) => ({ key, value: await inTime(read()) })));
          this.reset();
          for (const { key, value } of values) if (value !== undefined) this.labels(key).set(value);
        },
      });
    },

    /** How long things take, in seconds. */
    histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets: readonly number[]) {
      return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
    },

    /**
     * Something that is counted, by labels that have few values; one counter for each name, whoever asks for it. What is
     * told from zero on is seen to grow the first time too.
     */
    counter(name: string, help: string, labelNames: readonly string[], fromZero: readonly Record<string, string>[] = []) {
      const known = registry.getSingleMetric(name);
      const counter = known instanceof Counter ? known : new Counter({ name, help, labelNames, registers: [registry] });
      for (const labels of fromZero) counter.inc(labels, 0);
      return counter;
    },

    async start(host: string, port: number) {
      collectDefaultMetrics({ register: registry });
      const listening = createServer((request, response) => {
        // Asked here, a service that has all the clients it takes is still seen to live.
        if (request.url === '/health/live') return void response.end();
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
