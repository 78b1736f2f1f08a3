import { newId } from '@mp/ids';
import { createMongo, prepareCollection } from '@mp/service-kit/mongo';
import { newContact } from '../services/contacts/src/contacts/contact.ts';
import { CreateContactBody } from '../services/contacts/src/contacts/contact-body.ts';
import { documentOf } from '../services/contacts/src/contacts/contact-document.ts';
import { contactIndexes } from '../services/contacts/src/contacts/contact-filters.ts';
import { startContactsProcess } from './contacts-process.ts';
import { writeResults } from './contacts-results.ts';
import { csvOf, row } from './contacts-service.ts';

/** BENCH_ROWS=20000 for a short run. BENCH_FLAGS replaces the flags of the container. */
const rows = Number(process.env.BENCH_ROWS ?? 1_000_000);
const flags = process.env.BENCH_FLAGS?.split(' ').filter(Boolean);
const batch = 1_000;

/** Memory of the service process while it receives a file over HTTP, imports it, and publishes an event per contact. */
const { call, residentBytes, stop } = await startContactsProcess(flags);
try {
  const before = await bareRate();
  const idle = residentBytes();
  const watch = watchMemory();
  const file = csvOf(Array.from({ length: rows }, (_, index) => row(index)));
  const begun = performance.now();
  const { id, bytes } = await call('POST', '/v2/contacts/imports', file, 'text/csv');
  const uploaded = performance.now();
  const inUpload = watch.most();

  for (;;) {
    const job = await call('GET', `/v2/contacts/imports/${id}`);
    if (job.status === 'completed' && job.rows.created === rows) break;
    if (job.status !== 'queued' && job.status !== 'running') throw new Error(JSON.stringify(job));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const perSecond = rows / ((performance.now() - uploaded) / 1_000);
  const inImport = watch.end();
  const bare = (before + (await bareRate())) / 2;
  const table = [
    '| upload | import | insertMany, bare driver | memory before | max during upload | max during import |',
    '|---|---|---|---|---|---|',
    `| ${((uploaded - begun) / 1_000).toFixed(1)} s | ${whole(perSecond)} rows/s | ${whole(bare)} rows/s | ${mib(idle)} | ${mib(inUpload)} | ${mib(inImport)} |`,
  ].join('\n');
  await writeResults({
    name: 'contacts-import-memory',
    title: 'Contacts: a large import',
    how: `a CSV file of ${whole(rows)} rows (${mib(bytes)}) sent over HTTP to the service in a separate process with ${flags ? `\`${flags.join(' ')}\`` : 'the heap of a container of 512 MiB, the chart’s limit'}, which publishes an event for each row; resident memory, sampled four times a second. The bare driver inserts the same documents with the same indexes into a separate database, before and after it.`,
    table,
    aims: [
      ['max memory, MiB', '≤ 300', String(Math.round(Math.max(inUpload, inImport) / 2 ** 20))],
      ['import / insertMany', '≥ 0.4', (perSecond / bare).toFixed(2)],
    ],
  });
} finally {
  await stop();
}

/** Inserts the same contacts with the same indexes directly into a separate database. */
async function bareRate() {
  const facts = {
    typeOf: () => undefined,
    isNewKey: () => true,
    hasRoomFor: () => true,
    suppressionOf: () => undefined,
    defaultConsent: 'subscribed',
  } as const;
  const none = { ...facts, learn: () => undefined, cover: () => true, undeclared: () => new Map() };
  const account = newId('account');
  const mongo = createMongo({ url: process.env.MONGODB_URL ?? '', database: `bench_${process.pid}_bare`, service: 'bench' });
  const contacts = mongo.db.collection<{ _id: string }>('contacts');
  const indexes = Object.entries(contactIndexes).map(([name, index]) => ({ name, ...index }));
  await prepareCollection(contacts, indexes, mongo.db);
  let ms = 0;
  for (let from = 0; from < rows; from += batch) {
    const documents = Array.from({ length: Math.min(batch, rows - from) }, (_, index) =>
      documentOf(account, newContact(CreateContactBody.parse(row(from + index)), none)),
    );
    const begun = performance.now();
    await contacts.insertMany(documents, { ordered: false });
    ms += performance.now() - begun;
  }
  await mongo.db.dropDatabase();
  await mongo.stop();
  return rows / (ms / 1_000);
}

function watchMemory() {
  let most = 0;
  const look = () => {
    most = Math.max(most, residentBytes());
  };
  const timer = setInterval(look, 250);
  return {
    /** The maximum since the previous call. */
    most() {
      look();
      const seen = most;
      most = 0;
      return seen;
    },
    end() {
      clearInterval(timer);
      return this.most();
    },
  };
}

function whole(value: number) {
  return Math.round(value).toLocaleString('en');
}

function mib(bytes: number) {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
