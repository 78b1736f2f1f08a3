import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId } from '@mp/ids';
import { createParts, type Parts } from '@mp/service-kit/parts';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { buildApp } from '../services/contacts/src/app.ts';
import { createStores } from '../services/contacts/src/stores.ts';

const namespace = `bench_${process.pid}`;
const { MONGODB_URL = '', NATS_URL = '' } = process.env;
const keyring = parseKeyring(`bench:${Buffer.alloc(32, 7).toString('base64url')}`);

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
  const parts: Parts = createParts({
    name: 'contacts',
    NAMESPACE: namespace,
    MONGODB_URL,
    NATS_URL,
    LOG_LEVEL: 'warn',
    CONTEXT_KEYS: keyring,
    CURSOR_KEYS: keyring,
  });
  await parts.mongo.start(() => undefined);
  await parts.prepare();
  const service = buildApp(parts);
  await service.prepare();
  await service.app.ready();

  const headersFor = (method: string, path: string, accountId: AccountId) => ({
    'content-type': 'application/json',
    [contextHeader]: signContext(
      keyring,
      {
        account_id: accountId,
        principal_id: 'bench',
        permission: 'read_write',
        scopes: null,
        request_id: 'req_bench000',
        expires_at: Date.now() + 24 * 3_600_000,
      },
      method,
      path,
    ),
  });

  async function call(
    accountId: AccountId,
    {
      method,
      path,
      payload,
      type,
    }: { method: 'GET' | 'POST'; path: string; payload?: object | string | undefined; type?: string | undefined },
  ) {
    const headers = { ...headersFor(method, path, accountId), ...(type && { 'content-type': type }) };
    const response = await service.app.inject({ method, url: path, headers, ...(payload === undefined ? {} : { payload }) });
    if (response.statusCode >= 300) throw new Error(`${method} ${path} returned ${response.statusCode}: ${response.payload}`);
    return response.json().data;
  }

  return {
    parts,
    service,
    stores: createStores(parts),
    headersFor,
    call,
    newAccount: () => newId('account'),
    async stop() {
      for (const part of service.background ?? []) await part.stop();
      await service.app.close();
      await removeStreams(NATS_URL, namespace);
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
