import closeWithGrace from 'close-with-grace';
import { pause } from './backoff.ts';
import { createHealth } from './health.ts';
import { startable } from './maintenance.ts';
import { prepareDatabase } from './prepare-database.ts';
import { runCommand } from './run-command.ts';
import { exposeServiceMetrics } from './service-metrics.ts';
import type { App, Parts } from './service-parts.ts';
import { startTraces } from './traces.ts';

type RunConfig = {
  HOST: string;
  PORT: number;
  METRICS_PORT?: number | undefined;
  SHUTDOWN_DELAY_MS: number;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_TRACES_SAMPLER_ARG: number;
};

/** Time limit of a stop after connections are refused; longer than the gateway drains. */
const stopMs = 30_000;

/**
 * Starts a service: database, indexes, broker, consumers, port. On SIGTERM or SIGINT it stops in reverse order: reports not ready,
 * accepts no new work, finishes the work in progress, publishes the outbox and closes the connections.
 */
export async function runService(parts: Parts, service: App, config: RunConfig) {
  if (await runCommand(parts, service, process.argv.slice(2))) return;
  const { app, consumers, replies = [], front } = service;
  const { logger, mongo, broker, relay, metrics, maintenance } = parts;
  const background = startable([...(service.background ?? []), parts.erasedAccounts], maintenance);
  const { HOST, PORT, METRICS_PORT, SHUTDOWN_DELAY_MS, OTEL_EXPORTER_OTLP_ENDPOINT: collector } = config;
  const traces = collector === undefined ? undefined : await startTraces(parts.name, collector, config.OTEL_TRACES_SAMPLER_ARG);
  const health = createHealth({ mongo, broker });
  const stopping = new AbortController();
  health.addRoutes(app);
  metrics.observe(app);
  exposeServiceMetrics(parts, service);
  if (maintenance) logger.warn('MAINTENANCE is on: this service sends no emails or webhooks and runs no timers, imports or exports');

  closeWithGrace({ delay: SHUTDOWN_DELAY_MS + stopMs, logger }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'stopping after an uncaught error');
    stopping.abort();
    health.serve(false);
    front?.drain();
    await pause(SHUTDOWN_DELAY_MS);
    await front?.stop();
    await Promise.all([...consumers.map((consumer) => consumer.stop()), ...background.map((part) => part.stop())]);
    await app.close();
    await relay.stop();
    await broker.stop();
    await metrics.stop();
    // An unavailable collector must not delay the stop.
    await traces?.stop().catch((fault: unknown) => logger.warn({ err: fault }, 'cannot deliver the last traces'));
    await mongo.stop();
    logger.info('stopped');
  });

  // First, because this port also serves the liveness probe while the service waits for MongoDB.
  if (METRICS_PORT !== undefined) await metrics.start(HOST, METRICS_PORT);
  await prepareDatabase(parts, service, stopping.signal);
  if (stopping.signal.aborted) return;
  broker.start();
  relay.start();
  for (const consumer of consumers) consumer.start();
  for (const startReplying of replies)
    void startReplying().catch((err: unknown) => stopping.signal.aborted || logger.error({ err }, 'cannot subscribe to requests'));
  for (const part of background) part.start();
  const appAddress = await app.listen(front ? { host: '127.0.0.1', port: 0 } : { host: HOST, port: PORT });
  const address = (await front?.start(appAddress)) ?? appAddress;
  health.serve(true);
  logger.info({ address }, 'ready');
}
