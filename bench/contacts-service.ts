import { newId } from '@mp/ids';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { buildApp } from '../services/contacts/src/app.ts';
import { createStores } from '../services/contacts/src/stores.ts';
import { createCall, headersFor, namespace, startParts } from './in-process.ts';

/** The contacts service in this process, with a separate database that is dropped at the end. */
export async function withContacts(measure: (service: Awaited<ReturnType<typeof startContacts>>) => Promise<void>) {
  const service = await startContacts();
  try {
    await measure(service);
  } finally {
    await service.stop();
  }
}

async function startContacts() {
  const parts = await startParts('contacts');
  const service = buildApp(parts);
  await service.prepare();
  await service.app.ready();

  return {
    parts,
    service,
    stores: createStores(parts),
    headersFor,
    call: createCall(service.app),
    newAccountId: () => newId('account'),
    async stop() {
      for (const part of service.background ?? []) await part.stop();
      await service.app.close();
      await removeStreams(process.env.NATS_URL ?? '', namespace);
      await parts.mongo.db.dropDatabase();
      await parts.mongo.stop();
    },
  };
}

/** A row as a customer would send it. */
export const row = (index: number) => ({
  external_id: `crm-${index}`,
  email: `person${index}@example${index % 50}.com`,
  first_name: `First${index % 997}`,
  last_name: `Last${index % 1_009}`,
  address: { city: `City ${index % 300}`, country: 'DE' },
  tags: [`t${index % 20}`, 'imported'],
  attributes: { plan: index % 3 ? 'free' : 'pro', seats: index % 100 },
});

const header = 'external_id,email,first_name,last_name,address.city,address.country,tags,attributes.plan,attributes.seats:number';

/** The rows as a CSV file. */
export const csvOf = (rows: readonly ReturnType<typeof row>[]) =>
  [
    header,
    ...rows.map(({ external_id, email, first_name, last_name, address, tags, attributes }) =>
      [external_id, email, first_name, last_name, address.city, address.country, tags.join(';'), attributes.plan, attributes.seats].join(
        ',',
      ),
    ),
  ].join('\n');
