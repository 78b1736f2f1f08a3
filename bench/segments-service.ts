import { type AccountId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { buildApp } from '../services/segments/src/app.ts';
import { createCall, startParts } from './in-process.ts';

const chunk = 2_000;

/** BENCH_CONTACTS=20000 for a short run. */
export const many = Number(process.env.BENCH_CONTACTS ?? 1_000_000);

/** The segments service in this process, without its background work, with a separate database that is dropped at the end. */
export async function withSegments(measure: (service: Awaited<ReturnType<typeof startSegments>>) => Promise<void>) {
  const service = await startSegments();
  try {
    await measure(service);
  } finally {
    await service.stop();
  }
}

async function startSegments() {
  const parts = await startParts('segments');
  const { app, prepare, built } = buildApp(parts);
  await prepare();
  await app.ready();
  const profiles = parts.mongo.db.collection<{ _id: string; contact: object; account_id: AccountId }>('profiles');

  const call = createCall(app);

  return {
    parts,
    built,
    profiles,
    call,

    /** A segment for each of `count` cities, ready. */
    async segmentsOf(accountId: AccountId, count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let city = 0; city < count; city += 1) {
        const definition = { all: [inCity(city), { field: 'tags', op: 'contains', value: 'customer' }] };
        ids.push((await call(accountId, { method: 'POST', path: '/v2/segments', payload: { name: `City ${city}`, definition } })).id);
      }
      while (await built.runner.serveOne());
      return ids;
    },

    /** Writes contacts in a thousand cities into the projection, as their events would. */
    async fill(accountId: AccountId, count: number) {
      for (let from = 0; from < count; from += chunk) {
        const rows = Array.from({ length: Math.min(chunk, count - from) }, (_, index) => contactOf(from + index)).map((contact) => ({
          ...{ _id: contact.id, account_id: accountId, contact, revision: 1, touches: 1, touched_at: new Date() },
        }));
        await profiles.insertMany(rows, { ordered: false });
      }
    },

    async stop() {
      await app.close();
      await parts.mongo.db.dropDatabase();
      await parts.mongo.stop();
    },
  };
}

export const newAccountId = () => newId('account');

export const inCity = (city: number) => ({ field: 'address.city', op: 'eq', value: `City ${city}` }) as const;

const nowhere = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null };

export const contactOf = (index: number, city = 100 + (index % 900)) =>
  aContact({
    email: `person${index}@example${index % 50}.com`,
    first_name: `First${index % 997}`,
    address: { ...nowhere, city: `City ${city}` },
    tags: [`t${index % 20}`, 'customer'],
    attributes: { plan: index % 3 ? 'free' : 'pro', seats: index % 100 },
  });
