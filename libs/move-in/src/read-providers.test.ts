import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import { type Fault, klaviyoAccount, listmonkInstance, mailchimpAccount, recordedServer } from '../test/recorded-server.ts';
import { klaviyo } from './klaviyo/provider.ts';
import { listmonk } from './listmonk/provider.ts';
import { mailchimp } from './mailchimp/provider.ts';
import { planOf } from './plan.ts';
import type { MovedRecord, Provider } from './records.ts';
import { createSource } from './source.ts';

const keys = new Map<Provider, string>([
  [mailchimp, 'abc-us21'],
  [klaviyo, 'pk_secret'],
  [listmonk, 'api:token'],
]);

type Handler = Parameters<typeof recordedServer>[1];

/** Reads an account to its end, or continues after a batch; `waits` has the pauses that were made. */
async function readAll(t: TestContext, provider: Provider, handler: Handler, faults: Record<number, Fault> = {}) {
  const server = await recordedServer(t, handler, faults);
  const { url, headers } = provider.connect(keys.get(provider) ?? '', server.url);
  const waits: number[] = [];
  const source = () => createSource({ title: provider.title, url, headers, pause: async (ms) => void waits.push(ms) });
  const batches = async (after: string | null) => {
    const all: { records: MovedRecord[]; next: string }[] = [];
    for await (const batch of provider.read(source(), after)) all.push(batch);
    return all;
  };
  return { server, waits, batches, plan: async () => planOf(provider, records(await batches(null))) };
}

async function* records(batches: { records: MovedRecord[] }[]) {
  for (const { records: all } of batches) yield* all;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const accounts: [Provider, Handler, number][] = [
  [mailchimp, mailchimpAccount({ a: numbers(25).map(member), b: numbers(5).map(member) }, { page: 10, html: '<p>Hi *|FNAME|*</p>' }), 25],
  [
    klaviyo,
    klaviyoAccount(numbers(25).map(profile), { page: 10, members: { L1: ['p1@example.com', 'p2@example.com'] }, html: '<p>Hi</p>' }),
    25,
  ],
  [listmonk, listmonkInstance(numbers(1_250).map(subscriber), { html: '<p>Hi</p>' }), 1_250],
];

function member(index: number) {
  return { id: `m${index}`, email_address: `p${index}@example.com`, status: 'subscribed', timestamp_opt: '2024-01-01T00:00:00+00:00' };
}
function profile(index: number) {
  const marketing = { consent: 'SUBSCRIBED', consent_timestamp: '2024-01-01T00:00:00+00:00' };
  return { email: `p${index}@example.com`, subscriptions: { email: { marketing } } };
}
function subscriber(index: number) {
  const lists = [{ id: 1, optin: 'double', subscription_status: 'confirmed', subscription_updated_at: '2024-01-01T00:00:00Z' }];
  return { id: index + 1, email: `p${index}@example.com`, name: 'Ada Lovelace', status: 'enabled', lists };
}

for (const [provider, handler, count] of accounts) {
  test(`${provider.title}: every page comes once, one at a time, through rate limits, a failure and a body that ends early`, async (t) => {
    const { server, waits, plan } = await readAll(t, provider, handler, { 2: 'limit', 4: 'fail', 5: 'limit-bare', 7: 'break' });
    const { rows, report, templates, lists } = await plan();
    assert.deepEqual([rows.length, report.comes.subscribed, templates.length], [count, count, 1]);
    assert.ok(lists.some(({ emails }) => emails.length > 0));
    assert.ok(waits.includes(3_000), 'waits as long as Retry-After says');
    assert.ok(waits.length >= 4);
    assert.equal(server.open.most, 1);
    assert.ok(server.requests.every(({ headers }) => headers.authorization !== undefined));
  });

  test(`${provider.title}: reading can resume after any batch with what is missing, and nothing else`, async (t) => {
    const { batches } = await readAll(t, provider, handler);
    const whole = await batches(null);
    for (const [index, { next }] of whole.entries())
      assert.deepEqual(
        (await batches(next)).flatMap((batch) => batch.records),
        whole.slice(index + 1).flatMap((batch) => batch.records),
      );
  });
}

for (const [provider, handlerOf] of [
  [
    mailchimp,
    (all: { email: string }[]) =>
      mailchimpAccount({ a: all.map((one) => ({ ...member(0), id: one.email, email_address: one.email })) }, { page: 10 }),
  ],
  [listmonk, (all: { email: string }[]) => listmonkInstance(all.map((one, index) => ({ ...subscriber(index), ...one })))],
] as const)
  test(`${provider.title}: contacts that are deleted there while it is read cost no other contact`, async (t) => {
    const all = numbers(1_250).map((index) => ({ email: `p${index}@example.com` }));
    let left = all.slice(0, provider === listmonk ? 1_250 : 25);
    const expected = left.slice(3).map(({ email }) => email);
    const { plan } = await readAll(t, provider, (url, origin) => {
      const page = handlerOf(left)(url, origin);
      const isFirst = /members|subscribers/.test(url.pathname) && left.length > expected.length;
      if (isFirst) left = left.slice(3);
      return page;
    });
    const emails = new Set((await plan()).rows.map(({ email }) => email));
    assert.deepEqual(
      expected.filter((email) => !emails.has(email)),
      [],
    );
  });

test('a wait may be a date, and is at most ten minutes', async () => {
  const waits: number[] = [];
  const headers = [new Date(Date.now() + 60_000).toUTCString(), '86400', 'soon'];
  const send = async () => {
    const after = headers.shift();
    return after === undefined ? Response.json({}) : new Response('', { status: 429, headers: { 'retry-after': after } });
  };
  const source = createSource({ title: 'X', url: 'https://x.example', headers: {}, send, pause: async (ms) => void waits.push(ms) });
  await source.get('/', z.object({}));
  assert.ok(Math.abs((waits[0] ?? 0) - 60_000) < 5_000);
  assert.deepEqual(waits.slice(1), [600_000, 4_000]);
});

test('a server that stays unavailable ends the import with what to do', async (t) => {
  const { plan } = await readAll(
    t,
    listmonk,
    listmonkInstance([]),
    Object.fromEntries(numbers(7).map((index) => [index, 'fail' as const])),
  );
  await assert.rejects(plan(), /listmonk does not respond: HTTP 500, 6 times\. Start the import again to resume\./);
});

test('pages in a circle end the import instead of going on forever', async (t) => {
  const circle: Handler = (url, origin) => {
    const response = klaviyoAccount([profile(1)])(url, origin);
    return response && { ...response, links: { next: `${origin}/api/lists?page%5Bcursor%5D=x` } };
  };
  await assert.rejects((await readAll(t, klaviyo, circle)).plan(), /in a circle/);
  const same: Handler = (url, origin) =>
    url.pathname.endsWith('/members') ? { members: [member(1)], total_items: 1_000_000 } : mailchimpAccount({ a: [] })(url, origin);
  await assert.rejects((await readAll(t, mailchimp, same)).plan(), /the same page twice/);
});

test('the key goes to no other host, even if a page refers there', async (t) => {
  const other: Handler = () => ({ data: [], links: { next: 'https://attacker.example/api/lists' } });
  await assert.rejects((await readAll(t, klaviyo, other)).plan(), /refers to https:\/\/attacker\.example/);
});

test('a rejected key and an unexpected format are explained in the error message', async (t) => {
  const server = await recordedServer(t, () => ({ data: 'surprise' }));
  const source = createSource({ title: 'listmonk', url: server.url, headers: {} });
  await assert.rejects(async () => {
    for await (const _ of listmonk.read(source, null));
  }, /in a form that is not expected: data/);
  assert.throws(() => mailchimp.connect('nonsense', undefined), /ends with its data center/);
  assert.throws(() => listmonk.connect('nonsense', 'https://lists.example.com'), /<user>:<token>/);
  assert.throws(() => klaviyo.connect('AbC123', undefined), /public key/);
});
