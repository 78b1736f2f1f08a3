import { readFile } from 'node:fs/promises';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { type Document, MongoClient } from 'mongodb';
import type { Json } from '../contract.ts';
import { readArchive } from './archive.ts';
import { older } from './dates.ts';

type Target = { mongoUrl: string; natsUrl: string; namespace: string; receiver: string; platform: string; olderByDays: number };

const insertedAtOnce = 500;
const publishedAtOnce = 500;

/** What the fixture says about itself. */
export async function readManifest(version: string, target: Pick<Target, 'receiver' | 'platform' | 'olderByDays'>): Promise<Json> {
  return adapted(JSON.parse(await readFile(file(version, 'manifest.json'), 'utf8')), target);
}

/** Fills empty databases and streams with the data of that version, as it was after the crash. */
export async function loadFixture(version: string, target: Target) {
  const mongo = await MongoClient.connect(target.mongoUrl);
  try {
    // The clock of MongoDB is not that of the services: it would delete what expired since the crash.
    await mongo.db('admin').command({ setParameter: 1, ttlMonitorEnabled: false });
    for (const service of serviceNames) await loadDatabase(mongo, version, service, target);
  } finally {
    await mongo.close();
  }
  const nats = await connect({ servers: target.natsUrl });
  try {
    await loadStreams(nats, version, target);
  } finally {
    await nats.close();
  }
}

const file = (version: string, name: string) => new URL(`${version}/${name}`, import.meta.url).pathname;

const adapted = (value: Json, { receiver, platform, olderByDays }: Pick<Target, 'receiver' | 'platform' | 'olderByDays'>): Json =>
  older(
    withAddresses(value, (text) => text.replaceAll('{receiver}', receiver).replaceAll('{platform}', platform)),
    olderByDays,
  );

function withAddresses(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => withAddresses(item, fill));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withAddresses(member, fill)]));
}

async function loadDatabase(mongo: MongoClient, version: string, service: ServiceName, target: Target) {
  const db = mongo.db(`${target.namespace}_${service}`);
  const stored = await readArchive(file(version, `${service}.bson.br`));
  for (let at = 0; at < stored.length; ) {
    const { collection: name, options, indexes, count } = stored[at] ?? {};
    const documents = stored.slice(at + 1, at + 1 + Number(count)).map((document): Document => adapted(document, target));
    const collection = await db.createCollection(name, options);
    for (let from = 0; from < documents.length; from += insertedAtOnce)
      await collection.insertMany(documents.slice(from, from + insertedAtOnce), { ordered: false });
    if (indexes.length > 0) await collection.createIndexes(indexes);
    at += 1 + documents.length;
  }
}

type StreamHead = {
  stream: string;
  subjects: string[];
  description: string;
  max_age: number;
  duplicate_window: number;
  last: number;
  count: number;
  consumers: { name: string; filter: string; ack_wait: number; acknowledged: number }[];
};
type Message = { seq: number; subject: string; headers: Record<string, string[]>; text: string };

/** Restores every message under its sequence, and every consumer up to the last event of which all before were acknowledged. */
async function loadStreams(nats: NatsConnection, version: string, target: Target) {
  const stored: Json[] = (await readArchive(file(version, 'streams.bson.br'))).map((document) => plain(document));
  for (let at = 0; at < stored.length; ) {
    const head: StreamHead = stored[at];
    const messages: Message[] = stored.slice(at + 1, at + 1 + head.count);
    await loadStream(
      nats,
      head,
      messages.map((message) => adapted(message, target)),
      target.namespace,
    );
    at += 1 + messages.length;
  }
}

/** Numbers as JavaScript has them. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  if ('_bsontype' in value) return Number(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

async function loadStream(nats: NatsConnection, head: StreamHead, messages: readonly Message[], namespace: string) {
  const patient = { timeout: 60_000 };
  const manager = await jetstreamManager(nats, patient);
  const publisher = jetstream(nats, patient);
  const { subjects, description, max_age, duplicate_window, last } = head;
  const name = `${namespace}_${head.stream}`;
  await manager.streams.add({
    name,
    subjects: subjects.map((subject) => `${namespace}.${subject}`),
    description,
    max_age,
    duplicate_window,
  });

  // Erased messages left gaps; what fills them is deleted again.
  const bySequence = new Map(messages.map((message) => [message.seq, message]));
  const erased: number[] = [];
  for (let from = 1; from <= last; from += publishedAtOnce) {
    const sequences = Array.from({ length: Math.min(publishedAtOnce, last + 1 - from) }, (_, index) => from + index);
    await Promise.all(
      sequences.map(async (sequence) => {
        const message = bySequence.get(sequence);
        if (!message) erased.push(sequence);
        const { subject, headers: given, text } = message ?? { subject: subjects[0]?.replace('>', 'erased') ?? '', headers: {}, text: '' };
        const sent = headers();
        for (const [key, values] of Object.entries(given)) for (const value of values) sent.append(key, value);
        const { seq } = await publisher.publish(`${namespace}.${subject}`, text, { headers: sent });
        if (seq !== sequence) throw new Error(`${head.stream} stored message ${sequence} as ${seq}.`);
      }),
    );
  }
  for (const sequence of erased) await manager.streams.deleteMessage(name, sequence);

  for (const { name: durable_name, filter, ack_wait, acknowledged } of head.consumers) {
    const config = { durable_name, filter_subject: `${namespace}.${filter}`, ack_wait, max_ack_pending: -1, max_deliver: -1 };
    await manager.consumers.add(name, { ...config, ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All });
    const before = messages.filter(({ seq, subject }) => seq <= acknowledged && matches(filter, subject)).length;
    const consumer = await publisher.consumers.get(name, durable_name);
    for (let left = before; left > 0; ) {
      const fetched = await consumer.fetch({ max_messages: Math.min(left, publishedAtOnce), expires: 30_000 });
      for await (const message of fetched) {
        message.ack();
        left -= 1;
      }
    }
    await nats.flush();
  }
}

const matches = (filter: string, subject: string) =>
  new RegExp(`^${filter.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace(/>$/, '.+')}$`).test(subject);
