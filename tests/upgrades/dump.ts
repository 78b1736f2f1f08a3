import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { BSON, type Document, MongoClient } from 'mongodb';
import { writeArchive } from './archive.ts';

type Source = { mongoUrl: string; natsUrl: string; namespace: string };

/** Replaces texts of the machine that the data was made on, such as the address of a receiver, in every value. */
export type Rewrite = (text: string) => string;

const readAtOnce = 50;

/** Writes all databases and streams to `folder`, while no service runs. */
export async function dump(folder: string, source: Source, rewrite: Rewrite) {
  await mkdir(folder, { recursive: true });
  for (const service of serviceNames) await dumpDatabase(join(folder, `${service}.bson.br`), service, source, rewrite);
  await dumpStreams(join(folder, 'streams.bson.br'), source, rewrite);
}

async function dumpDatabase(file: string, service: ServiceName, { mongoUrl, namespace }: Source, rewrite: Rewrite) {
  const mongo = await MongoClient.connect(mongoUrl);
  try {
    const db = mongo.db(`${namespace}_${service}`);
    const found = (await db.listCollections().toArray()).filter(({ name }) => !name.startsWith('system.'));
    const written: Uint8Array[] = [];
    for (const { name, options = {} } of found.sort((a, b) => (a.name < b.name ? -1 : 1)) as { name: string; options?: Document }[]) {
      const documents = await db
        .collection(name)
        .find({}, { sort: { _id: 1 }, promoteValues: false })
        .toArray();
      const indexes = (await db.collection(name).indexes())
        .filter((index) => index.name !== '_id_')
        .map(({ ns, v, background, ...index }) => index);
      written.push(BSON.serialize({ collection: name, options, indexes, count: documents.length }));
      for (const document of documents) written.push(BSON.serialize(rewritten(document, rewrite), { ignoreUndefined: false }));
    }
    await writeArchive(file, written);
  } finally {
    await mongo.close();
  }
}

async function dumpStreams(file: string, { natsUrl, namespace }: Source, rewrite: Rewrite) {
  const connection = await connect({ servers: natsUrl });
  try {
    const manager = await jetstreamManager(connection, { timeout: 60_000 });
    const written: Uint8Array[] = [];
    for (const { name } of Object.values(streams)) {
      const stream = `${namespace}_${name}`;
      const { config, state } = await manager.streams.info(stream);
      const consumers: Document[] = [];
      for await (const { config: of, delivered, ack_floor } of manager.consumers.list(stream)) {
        if (of.durable_name === undefined) continue;
        consumers.push({
          name: of.durable_name,
          filter: unprefixed(of.filter_subject ?? '', namespace),
          ack_wait: of.ack_wait,
          acknowledged: ack_floor.stream_seq,
          delivered: delivered.stream_seq,
        });
      }
      written.push(
        BSON.serialize({
          ...{ stream: name, subjects: config.subjects.map((subject) => unprefixed(subject, namespace)), description: config.description },
          ...{ max_age: config.max_age, duplicate_window: config.duplicate_window, last: state.last_seq, count: state.messages, consumers },
        }),
      );
      const sequences = Array.from(
        { length: state.messages === 0 ? 0 : state.last_seq - state.first_seq + 1 },
        (_, index) => state.first_seq + index,
      );
      for (let from = 0; from < sequences.length; from += readAtOnce) {
        const some = sequences.slice(from, from + readAtOnce);
        for (const message of await Promise.all(some.map((seq) => manager.streams.getMessage(stream, { seq })))) {
          // The message of an erased contact was deleted.
          if (!message) continue;
          const headers = Object.fromEntries([...message.header].map(([key, values]) => [key, values]));
          const { seq, time } = message;
          written.push(
            BSON.serialize({ seq, subject: unprefixed(message.subject, namespace), headers, time, text: rewrite(message.string()) }),
          );
        }
      }
    }
    await writeArchive(file, written);
  } finally {
    await connection.close();
  }
}

const unprefixed = (subject: string, namespace: string) => {
  if (!subject.startsWith(`${namespace}.`)) throw new Error(`${subject} is not in the namespace ${namespace}.`);
  return subject.slice(namespace.length + 1);
};

/** The same value with every text rewritten, including in keys. */
function rewritten(value: unknown, rewrite: Rewrite): Document {
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return rewrite(part);
    if (Array.isArray(part)) return part.map(walk);
    if (
      part === null ||
      typeof part !== 'object' ||
      '_bsontype' in part ||
      part instanceof Date ||
      part instanceof RegExp ||
      ArrayBuffer.isView(part)
    )
      return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [rewrite(key), walk(member)]));
  };
  return walk(value) as Document;
}

export const writeManifest = (folder: string, manifest: object) =>
  writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`);
