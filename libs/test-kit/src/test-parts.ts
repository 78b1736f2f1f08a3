import { after, type TestContext } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { type App, createParts, type Parts, type PartsConfig } from '@mp/service-kit/service-parts';
import { testInfra } from './infra.ts';
import { removeStreams } from './remove-streams.ts';
import { dropFreeDatabases, emptyDatabase, newDatabase, notePrepared, returnDatabase, takeDatabase } from './test-databases.ts';

export const contextKeys = parseKeyring(`test:${Buffer.alloc(32, 1).toString('base64url')}`);
export const cursorKeys = parseKeyring(`test:${Buffer.alloc(32, 2).toString('base64url')}`);
const secrets = { CONTEXT_KEYS: contextKeys, CURSOR_KEYS: cursorKeys };

/** The namespace of this test file, so that its services receive only each other's events. */
export const testNamespace = `test_${process.pid}_${Date.now().toString(36)}`;

let used = false;

after(async () => {
  if (!used) return;
  await dropFreeDatabases();
  const { natsUrl } = await testInfra();
  await removeStreams(natsUrl, testNamespace);
});

/** The stop functions of the services built on some parts. `t.after` hooks run in order, so the parts must stop their services first. */
const stops = new WeakMap<Parts, (() => Promise<void>)[]>();

type PartsOptions = Pick<PartsConfig, 'CONSUMER_CONCURRENCY' | 'database'> & {
  /** For `countCommands`. */
  monitorCommands?: boolean;
  /** A database without collections and indexes, which another test may have left empty otherwise. */
  isNew?: boolean;
};

function monitored(mongoUrl: string): string {
  const url = new URL(mongoUrl);
  url.searchParams.set('monitorCommands', 'true');
  return url.href;
}

/** The parts of a service on an empty database of this test's own; or, with `database`, of a replica on an existing one. */
export async function testParts(
  t: TestContext,
  name: string,
  { monitorCommands = false, isNew = false, ...env }: PartsOptions = {},
): Promise<Parts> {
  const { mongoUrl, natsUrl } = await testInfra();
  const database = env.database ?? (isNew ? newDatabase(name) : takeDatabase(name));
  const parts = createParts({
    ...secrets,
    name,
    NAMESPACE: testNamespace,
    MONGODB_URL: monitorCommands ? monitored(mongoUrl) : mongoUrl,
    NATS_URL: natsUrl,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...env,
    database,
  });
  used = true;
  await parts.mongo.start(() => undefined);
  if (!env.database) await emptyDatabase(parts.mongo.db);
  await parts.prepare();
  t.after(async () => {
    for (const stop of stops.get(parts) ?? []) await stop();
    await parts.broker.stop();
    if (!env.database) await returnDatabase(name, parts.mongo.db);
    await parts.mongo.stop();
  });
  return parts;
}

/**
 * A built service, ready for `inject`. With `live: true`, its relay, consumers and background work run too. It stops before its
 * database is dropped.
 */
export async function testService<T extends App>(
  t: TestContext,
  parts: Parts,
  build: (parts: Parts) => T,
  { live = false } = {},
): Promise<T> {
  const service = build(parts);
  await service.prepare();
  await notePrepared(parts.mongo.db);
  await service.app.ready();
  const background = [...(service.background ?? []), parts.erasedAccounts].filter((part) => !(parts.maintenance && part.outward));
  if (live) {
    parts.broker.start();
    parts.relay.start();
    for (const consumer of service.consumers) consumer.start();
    for (const part of background) part.start();
    await Promise.all((service.replies ?? []).map((startReplying) => startReplying()));
  }
  let stopped: Promise<void> | undefined;
  const stopNow = async () => {
    if (live) {
      await Promise.all([...service.consumers.map((consumer) => consumer.stop()), ...background.map((part) => part.stop())]);
    }
    await service.app.close();
    if (live) await parts.relay.stop();
  };
  const stop = () => {
    stopped ??= stopNow();
    return stopped;
  };
  t.after(stop);
  stops.set(parts, [...(stops.get(parts) ?? []), stop]);
  return service;
}
