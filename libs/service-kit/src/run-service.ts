import closeWithGrace from 'close-with-grace';
import { pause } from './backoff.ts';
import { createHealth } from './health.ts';
import type { App, Parts } from './parts.ts';
import { prepareDatabase } from './prepare-database.ts';
import { runCommand } from './run-command.ts';
import { startTraces } from './traces.ts';

type RunConfig = {
  HOST: string;
  PORT: number;
  METRICS_PORT?: number | undefined;
  SHUTDOWN_DELAY_MS: number;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_TRACES_SAMPLER_ARG: number;
};

/** How long a stop may take once connections are refused; longer than the gateway drains. */
const stopMs = 30_000;

/**
 * Starts a built service: database, indexes, broker, consumers, port. Stops it in the opposite order on SIGTERM or
 * SIGINT: not ready, no new work, what is in work finishes, events leave the outbox, connections close.
 */
export async function runService(parts: Parts, service: App, config: RunConfig) {
  if (await runCommand(parts, service, process.argv.slice(2))) return;
  const { app, consumers, answers = [], front } = service;
  const { logger, mongo, broker, relay, metrics, maintenance } = parts;
  const background = (service.background ?? []).filter((part) => !(maintenance && part.outward));
  const { HOST, PORT, METRICS_PORT, SHUTDOWN_DELAY_MS, OTEL_EXPORTER_OTLP_ENDPOINT: collector } = config;
  const traces = collector === undefined ? undefined : await startTraces(parts.name, collector, config.OTEL_TRACES_SAMPLER_ARG);
  const health = createHealth({ mongo, broker });
  const stopping = new AbortController();
  health.addRoutes(app);
  metrics.observe(app);
  const lags = new Map(consumers.map((consumer) => [consumer.name, consumer.lag]));
  metrics.gauges('consumer_lag_events', 'Events of the stream that this consumer has still to take in.', 'consumer', lags);

  metrics.gauge('service_maintenance', '1 while MAINTENANCE keeps everything inside the platform.', async () => Number(maintenance));
  if (maintenance) logger.warn('MAINTENANCE is on: no mail, webhook, timer, import or export leaves this service');

  closeWithGrace({ delay: SHUTDOWN_DELAY_MS + stopMs, logger }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'stopping after a fault');
    stopping.abort();
    health.serve(false);
    await pause(SHUTDOWN_DELAY_MS);
    await front?.stop();
    await Promise.all([...consumers.map((consumer) => consumer.stop()), ...background.map((part) => part.stop())]);
    await app.close();
    await relay.stop();
    await broker.stop();
    await metrics.stop();
    // A collector that is away must not hold up the stop.
    await traces?.stop().catch((fault: unknown) => logger.warn({ err: fault }, 'the last traces were not delivered'));
    await mongo.stop();
    logger.info('stopped');
  });

  // First, because it is also where a supervisor sees that a service that waits for MongoDB is alive.
  if (METRICS_PORT !== undefined) await metrics.start(HOST, METRICS_PORT);
  await prepareDatabase(parts, service, stopping.signal);
  if (stopping.signal.aborted) return;
  broker.start();
  relay.start();
  for (const consumer of consumers) consumer.start();
  for (const answer of answers)
    void answer().catch((err: unknown) => stopping.signal.aborted || logger.error({ err }, 'cannot answer questions'));
  for (const part of background) part.start();
  const appAddress = await app.listen(front ? { host: '127.0.0.1', port: 0 } : { host: HOST, port: PORT });
  const address = (await front?.start(appAddress)) ?? appAddress;
  health.serve(true);
  logger.info({ address }, 'ready');
}
