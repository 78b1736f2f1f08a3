import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { listmonk } from '../libs/move-in/src/listmonk/provider.ts';
import { planOf } from '../libs/move-in/src/plan.ts';
import { createSource } from '../libs/move-in/src/source.ts';
import { listmonkMissing, startListmonk } from './listmonk.ts';

const count = 1_203;

test('a real listmonk is read completely: lists, subscribers with consent, bounces and templates', { skip: listmonkMissing }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'listmonk-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const there = await startListmonk(t, folder);
  if (!there) return t.skip('PostgreSQL is not installed');
  const single = await there.post('/api/lists', { name: 'Single', type: 'public', optin: 'single' });
  const double = await there.post('/api/lists', { name: 'Double', type: 'public', optin: 'double' });
  const subscriber = (email: string, more: object = {}) =>
    there.post('/api/subscribers', {
      ...{ email, name: 'Ada Augusta Lovelace', status: 'enabled', lists: [single.id], attribs: { city: 'Berlin', tags: ['a', 'b'] } },
      ...more,
    });
  await subscriber('single@example.com');
  await subscriber('unconfirmed@example.com', { lists: [double.id] });
  await subscriber('confirmed@example.com', { lists: [double.id], preconfirm_subscriptions: true });
  const left = await subscriber('left@example.com');
  await there.put('/api/subscribers/lists', {
    ...{ ids: [left.id], action: 'unsubscribe', target_list_ids: [single.id], status: 'unsubscribed' },
  });
  await subscriber('blocked@example.com', { status: 'blocklisted' });
  const bounced = await subscriber('bounced@example.com');
  await there.sql(
    `INSERT INTO bounces (subscriber_id, type, source, meta, created_at) VALUES (${bounced.id}, 'hard', 'api', '{}', '2024-03-01T10:00:00Z'), (${left.id}, 'soft', 'api', '{}', NOW())`,
  );
  const html =
    '<p>Hi {{ .Subscriber.FirstName }} in {{ .Subscriber.Attribs.city }}</p>{{ template "content" . }}<a href="{{ UnsubscribeURL }}">Leave</a>';
  await there.post('/api/templates', { name: 'Own', type: 'campaign', body: html });
  const made = Number(await there.sql('SELECT COUNT(*) FROM subscribers'));
  await there.sql(
    `INSERT INTO subscribers (uuid, email, name) SELECT gen_random_uuid(), 'bulk' || n || '@example.com', 'Bulk' FROM generate_series(1, ${count - made}) n;` +
      `INSERT INTO subscriber_lists (subscriber_id, list_id, status) SELECT id, ${double.id}, 'confirmed' FROM subscribers WHERE email LIKE 'bulk%'`,
  );

  const { url, headers } = listmonk.connect(there.key, there.url);
  const source = createSource({ title: listmonk.title, url, headers });
  const read = async function* () {
    for await (const { records } of listmonk.read(source, null)) yield* records;
  };
  const { rows, lists, suppressions, templates, report } = await planOf(listmonk, read());
  assert.equal(rows.length, count);
  const by = new Map(rows.map((row) => [row.email, row]));
  const said = (email: string) => by.get(email)?.consent?.email;
  assert.deepEqual(
    ['single', 'unconfirmed', 'confirmed', 'left', 'blocked'].map((name) => said(`${name}@example.com`)?.status),
    ['subscribed', 'pending', 'subscribed', 'unsubscribed', 'unsubscribed'],
  );
  assert.equal(said('confirmed@example.com')?.method, 'double_opt_in');
  assert.match(String(said('single@example.com')?.at), /^20/, 'consent has its date');
  assert.match(String(said('single@example.com')?.evidence?.source), /Single/);
  const ada = by.get('single@example.com');
  assert.deepEqual([ada?.first_name, ada?.last_name], ['Ada Augusta', 'Lovelace']);
  assert.deepEqual([ada?.attributes?.city, ada?.attributes?.tags], ['Berlin', ['a', 'b']]);
  assert.ok(ada?.attributes?.listmonk_created_at);
  assert.deepEqual(suppressions.map(({ email, reason }) => [email, reason]).sort(), [
    ['blocked@example.com', 'manual'],
    ['bounced@example.com', 'hard_bounce'],
  ]);
  assert.equal(suppressions.find(({ reason }) => reason === 'hard_bounce')?.suppressed_at, '2024-03-01T10:00:00.000Z');
  const members = new Map(lists.map(({ name, emails }) => [name, emails]));
  assert.ok(members.get('Single')?.includes('single@example.com'));
  assert.ok(!members.get('Single')?.includes('left@example.com'));
  assert.equal(members.get('Double')?.length, count - made + 2);
  const own = templates.find(({ name }) => name === 'Own');
  assert.match(own?.html ?? '', /Hi \{\{ contact\.first_name \}\} in \{\{ contact\.attributes\.city \}\}/);
  assert.deepEqual(own?.untranslated, ['{{ template "content" . }}']);
  assert.deepEqual(report.skipped, []);
});
