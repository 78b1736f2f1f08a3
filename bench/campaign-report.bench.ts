import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId } from '@mp/ids';
import { createParts } from '@mp/service-kit/parts';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { buildApp } from '../services/campaigns/src/app.ts';
import { createCountersStore } from '../services/campaigns/src/engagements/counters-store.ts';
import { newRecipient, type RecipientDocument, recipientsOf } from '../services/campaigns/src/recipients/recipient-row.ts';
import { compare, quantile } from './compare.ts';

/** The report of a large campaign beside that of a small one: milliseconds, the median of a round. */
const small = 1_000;
const large = Number(process.env.RECIPIENTS ?? 1_000_000);
const reportsPerRound = 100;
const atOnce = 2_000;

const key = parseKeyring(`bench:${Buffer.alloc(32, 1).toString('base64url')}`);
const namespace = `bench_${process.pid}`;
const parts = createParts({
  name: 'campaigns',
  NAMESPACE: namespace,
  database: `${namespace}_campaigns`,
  MONGODB_URL: process.env.MONGODB_URL ?? '',
  NATS_URL: process.env.NATS_URL ?? '',
  LOG_LEVEL: 'warn',
  CONTEXT_KEYS: key,
  CURSOR_KEYS: key,
});
const service = buildApp(parts, {
  LINK_KEYS: key,
  PUBLIC_URL: 'http://localhost:8080',
  SMTP_URL: 'smtp://127.0.0.1:1',
  SMTP_CONNECTIONS: 1,
});
await parts.mongo.start(() => undefined);
await parts.prepare();
await service.prepare();
await service.app.ready();
parts.broker.start();

const accountId = newId('account');
const counters = createCountersStore(parts.mongo);

async function call(method: 'GET' | 'POST', url: string, payload?: object) {
  const context = {
    ...{ account_id: accountId, principal_id: newId('key'), permission: 'admin' as const, scopes: null, request_id: newId('request') },
    expires_at: Date.now() + 60_000,
  };
  const headers = { [contextHeader]: signContext(key, context, method, url) };
  const response = await service.app.inject({ method, url, headers, ...(payload && { payload }) });
  if (response.statusCode >= 300) throw new Error(response.payload);
  return response.json().data;
}

/** A sent campaign whose rows are counted as they are in operation. */
async function campaignOf(count: number): Promise<string> {
  const body = { name: 'Bench', subject: 'Hi', from: { email: 'news@example.com' }, html: '<p>Hi</p>', audience: { include: ['all'] } };
  const { id } = await call('POST', '/v2/campaigns', body);
  for (let first = 0; first < count; first += atOnce) {
    const rows = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => rowOf(accountId, id, first + index));
    await recipientsOf(parts.mongo.db).insertMany(rows, { ordered: false });
    while ((await counters.count()) > 0);
  }
  await parts.mongo.db
    .collection('campaigns')
    .updateOne({ account_id: accountId, name: 'Bench', audience_count: null }, { $set: { audience_count: count } });
  return id;
}

function rowOf(account_id: AccountId, id: string, index: number): RecipientDocument {
  const at = new Date('2026-06-01T10:00:00Z');
  const source = { account_id, source: 'campaign' as const, source_id: id, source_key: id, content_id: id };
  return {
    ...newRecipient({ ...source, contact_id: newId('contact') }, false, at),
    ...{
      state: index % 50 === 0 ? 'bounced' : 'sent',
      address: `p${index}@domain${index % 500}.example`,
      sent_at: at,
      tally_changed: true,
    },
    ...(index % 4 === 0 && { tally: { opened: { human: 1 } }, parts: { [`hour_2026-06-01T1${index % 10}_opened_human`]: 1 } }),
  };
}

const ids = { small: await campaignOf(small), large: await campaignOf(large) };
const median = async (id: string) => {
  const times: number[] = [];
  for (let report = 0; report < reportsPerRound; report += 1) {
    const began = performance.now();
    await call('GET', `/v2/campaigns/${id}/analytics?by=hour`);
    times.push(performance.now() - began);
  }
  return quantile(
    times.sort((a, b) => a - b),
    0.5,
  );
};
await compare('The report of a campaign, by hour', 'ms', [
  { name: `${small} recipients`, run: () => median(ids.small) },
  { name: `${large} recipients`, run: () => median(ids.large) },
]);

await service.app.close();
await parts.mongo.db.dropDatabase();
await Promise.all([parts.broker.stop(), parts.mongo.stop()]);
await removeStreams(process.env.NATS_URL ?? '', namespace);
