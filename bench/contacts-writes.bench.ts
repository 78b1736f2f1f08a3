import { type AccountId, newId } from '@mp/ids';
import { createLoadContext } from '../services/contacts/src/contacts/account-context.ts';
import { newContact } from '../services/contacts/src/contacts/contact.ts';
import { CreateContactBody } from '../services/contacts/src/contacts/contact-body.ts';
import { documentOf } from '../services/contacts/src/contacts/contact-document.ts';
import { createSaveContacts } from '../services/contacts/src/contacts/save-contacts.ts';
import { createUpsertContacts } from '../services/contacts/src/contacts/upsert-contacts.ts';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { csvOf, row, withContacts } from './contacts-service.ts';

const rows = Number(process.env.BENCH_ROWS ?? 10_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 4);
const batch = 1_000;

const names = {
  bare: 'insertMany, bare driver',
  silent: 'batch upsert without the outbox',
  batch: 'batch upsert',
  import: 'import of a CSV file',
};

/**
 * New rows per second of: the bare driver, inserting the same documents with the same indexes and batches; the batch
 * upsert with validation and lookup but without the outbox; the batch upsert with one event per contact; an import.
 */
await withContacts(async ({ parts, service, stores, call, newAccountId }) => {
  const { mongo } = parts;
  const loadContext = createLoadContext(stores);
  const items = Array.from({ length: rows }, (_, index) => row(index));
  const context = await loadContext(newAccountId(), [row(0)]);
  const collection = mongo.db.collection<{ _id: string }>('contacts');
  const silent = { ...parts.outbox, add: async () => undefined, eventsOf: () => [], insert: async () => undefined };
  const upserts = (outbox: typeof parts.outbox) =>
    createUpsertContacts({ ...stores, mongo, loadContext, saveContacts: createSaveContacts({ ...stores, outbox }).save }).upsertContacts;

  /** Times only `work`; its input is made before. */
  async function rate<Made>(make: (accountId: AccountId) => Made, work: (accountId: AccountId, made: Made) => Promise<void>) {
    await mongo.db.collection('outbox').deleteMany({});
    await collection.deleteMany({});
    const accountId = newAccountId();
    const made = make(accountId);
    const begun = performance.now();
    await work(accountId, made);
    const perSecond = rows / ((performance.now() - begun) / 1_000);
    if ((await collection.countDocuments({ account_id: accountId } as object)) !== rows) throw new Error('some rows were not written');
    return perSecond;
  }
  const inBatches = async (write: (from: number) => Promise<unknown>) => {
    for (let from = 0; from < rows; from += batch) await write(from);
  };
  const upsert = (outbox: typeof parts.outbox) => async (accountId: AccountId) => {
    const origin = { correlationId: newId('request'), causationId: null };
    await inBatches((from) =>
      upserts(outbox)({
        accountId,
        origin,
        matching: { matchOn: 'email', changeIdentifiers: false },
        items: items.slice(from, from + batch),
      }),
    );
  };

  const nothing = () => undefined;
  for (const part of service.background ?? []) part.start();
  const figures = await compare(
    `${rows.toLocaleString('en')} new contacts`,
    'rows/s',
    [
      {
        name: names.bare,
        run: () =>
          rate(
            (accountId) => items.map((item) => documentOf(accountId, newContact(CreateContactBody.parse(item), context))),
            (_, documents) => inBatches((from) => collection.insertMany(documents.slice(from, from + batch), { ordered: false })),
          ),
      },
      { name: names.silent, run: () => rate(nothing, upsert(silent)) },
      { name: names.batch, run: () => rate(nothing, upsert(parts.outbox)) },
      {
        name: names.import,
        run: () =>
          rate(
            () => csvOf(items),
            async (accountId, file) => {
              const { id } = await call(accountId, { method: 'POST', path: '/v2/contacts/imports', payload: file, type: 'text/csv' });
              for (;;) {
                const job = await call(accountId, { method: 'GET', path: `/v2/contacts/imports/${id}` });
                if (job.status === 'completed') return;
                if (job.status === 'failed') throw new Error(job.error.message);
                await new Promise((resolve) => setTimeout(resolve, 20));
              }
            },
          ),
      },
    ],
    rounds,
  );
  const beside = (name: string) => ((figures.get(name)?.median ?? Number.NaN) / (figures.get(names.bare)?.median ?? Number.NaN)).toFixed(2);
  await writeResults({
    name: 'contacts-writes',
    title: 'Contacts: writing',
    how: `${rows.toLocaleString('en')} new contacts per round, ${batch.toLocaleString('en')} per call, the same documents with the same indexes; ${rounds} interleaved rounds after a warm-up. An import is timed from its request to its end.`,
    table: comparison('rows/s', figures),
    aims: [
      ['batch upsert without the outbox / insertMany', '≥ 0.5', beside(names.silent)],
      ['batch upsert with an event for each / insertMany', 'reported', beside(names.batch)],
      ['import, with an event for each / insertMany', '≥ 0.4', beside(names.import)],
    ],
  });
});
