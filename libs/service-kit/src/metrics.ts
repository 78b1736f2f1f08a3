import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import type { Server as FastifyServer } from './create-server.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus waits ten seconds for a response. An unavailable dependency must not delay the other metrics. */
const inTime = (read: Promise<number>): Promise<number | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), 3_000);
  return Promise.race([read.catch(() => undefined), late]).finally(() => clearTimeout(timer));
};

const Described = z.object({ name: z.string(), help: z.string(), type: z.string(), labelNames: z.array(z.string()) });

type Labelled = { labels: string[]; read: () => Promise<number> };

/** The metrics of one process, on a separate port so that they are never public. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  const events = {
    consumed: new Counter({
      name: 'events_consumed_total',
      help: 'Event deliveries by outcome: done, failed (will be retried) or dead_lettered.',
      labelNames: ['consumer', 'outcome'],
      registers: [registry],
    }),
    age: new Histogram({
      name: 'event_age_seconds',
      help: 'Age of an event when it took effect.',
      labelNames: ['consumer', 'lane'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
      registers: [registry],
    }),
    published: new Counter({
      name: 'outbox_published_events_total',
      help: 'Events that NATS acknowledged.',
      registers: [registry],
    }),
  };
  let server: Server | undefined;

  function labelled(name: string, help: string, labelNames: string[], readers: readonly Labelled[]) {
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const values = await Promise.all(readers.map(async ({ labels, read }) => ({ labels, value: await inTime(read()) })));
        this.reset();
        for (const { labels, value } of values) if (value !== undefined) this.labels(...labels).set(value);
      },
    });
  }

  return {
    registry,
    events,

    /** Every metric defined so far, for the documentation. */
    described: () => Described.array().parse(registry.getMetricsAsArray()),

    observe(app: FastifyServer) {
      app.addHook('onResponse', async (request, reply) => {
        // Probes are many and fast, and would hide slow requests.
        if (request.url.startsWith('/health/')) return;
        duration.observe(
          {
            http_request_method: request.method,
            http_route: request.routeOptions.url ?? 'none',
            http_response_status_code: reply.statusCode,
          },
          reply.elapsedTime / 1_000,
        );
      });
    },

    /**
     * A value that is read at each scrape. It is omitted if it cannot be read because a dependency is unavailable. A gauge of
     * the same name is replaced.
     */
    gauge(name: string, help: string, read: () => Promise<number>) {
      registry.removeSingleMetric(name);
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

    /** Several values with a label. Each is read independently, so that one failure does not affect the others. */
    gauges<Label extends string>(name: string, help: string, label: Label, readers: ReadonlyMap<string, () => Promise<number>>) {
      labelled(
        name,
        help,
        [label],
        [...readers].map(([key, read]) => ({ labels: [key], read })),
      );
    },

    /** The same with several labels, whose values are in the order of their names. */
    labelled,

    /** A number that only grows and that the process counts by itself. It is read at each scrape. */
    total(name: string, help: string, read: () => number) {
      registry.removeSingleMetric(name);
      new Counter({
        name,
        help,
        registers: [registry],
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },

    /** A metric that is always 1, whose labels describe the process. */
    info<Labels extends Record<string, string>>(name: string, help: string, labels: Labels) {
      new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set(labels, 1);
    },

    /** A histogram of durations in seconds. */
    histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets: readonly number[]) {
      return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
    },

    /**
     * A counter with labels of few values. The same name always returns the same counter. The label sets in `fromZero` are
     * initialised to 0, so that rate() sees the first increment.
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
        // On this port, the probe also succeeds while the main port is at its connection limit.
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
