import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const mp = join(import.meta.dirname, '../libs/cli/src/mp.ts');
const from = { email: 'news@example.com', name: 'News' };
const at = '2024-03-01T10:00:00.000Z';
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const numbers = Array.from({ length: 40 }, (_, index) => index);
const address = (index: number) => `p${index}@example.com`;
const lastAddress = 'last@example.net';

type Json = Record<string, unknown>;
type Client = Awaited<ReturnType<Awaited<ReturnType<typeof startPlatform>>['client']>>;

test('moving out: all of an account moves to another, even if export and import are killed; nothing is sent or started', async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url } });
  const folder = await mkdtemp(join(tmpdir(), 'move-out-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [old, fresh] = [
    await platform.client('--permission', 'admin', '--account', 'old'),
    await platform.client('--permission', 'admin', '--account', 'fresh'),
  ];
  const post = async (client: Client, path: string, body: object) => {
    const { status, data, text: response } = await client.post(path, body);
    assert.ok(status < 300, `${path}: ${response}`);
    return data;
  };
  const itemsOf = async (client: Client, path: string): Promise<Json[]> => (await client.get(path)).data.items;

  // What the old account has.
  await old.put('/v2/campaigns/settings', { topics: [{ id: 'news', name: 'News' }] });
  const evidence = { ip: '203.0.113.7', source: 'Fair', text: 'Yes, send me news.' };
  await post(old, '/v2/contacts/batch', {
    contacts: [
      ...numbers.map((index) => ({
        ...{ email: address(index), first_name: 'Ada', tags: ['vip'], attributes: { city: index % 2 ? 'Berlin' : 'Rome', zip: '10115' } },
        consent: {
          email: { status: index === 1 ? 'unsubscribed' : 'subscribed', method: 'double_opt_in', at, evidence },
          topics: { news: { email: { status: 'subscribed', method: 'form', at } } },
        },
      })),
      { external_id: 'only-external', first_name: 'Grace', consent: { email: null } },
      { phone: '+4930901820', consent: { sms: { status: 'subscribed', at } } },
    ],
  });
  await post(old, '/v2/contacts/suppressions', { email: address(2), reason: 'hard_bounce', suppressed_at: at, note: 'mailbox is gone' });
  await post(old, '/v2/contacts/suppressions', { domain: 'blocked.example', reason: 'complaint' });
  const image = await post(old, '/v2/campaigns/images', { name: 'hero.png', content: png });
  const template = await post(old, '/v2/campaigns/templates', {
    name: 'Letter',
    subject: 'Hello {{ contact.first_name }}',
    html: `<img src="${image.url}"><p>Hello {{ contact.first_name }}</p>`,
  });
  const confirm = await post(old, '/v2/campaigns/templates', {
    ...{ name: 'Confirm', subject: 'Please confirm', html: '<a href="{{ data.confirm_url }}">Confirm</a>' },
  });
  await post(old, '/v2/campaigns/templates', { name: 'MJML', subject: 'Hi', mjml: '<mjml><mj-body></mj-body></mjml>' });
  await post(old, '/v2/campaigns/coupons', { name: 'spring', generate: { count: 5 } });
  const chosen = await post(old, '/v2/segments', { name: 'Chosen', kind: 'static' });
  const contacts: Json[] = await itemsOf(old, '/v2/contacts?limit=100');
  const idBy = (name: string, value: string) => contacts.find((contact) => contact[name] === value)?.id;
  const members = [idBy('email', address(3)), idBy('phone', '+4930901820'), idBy('external_id', 'only-external')];
  await post(old, `/v2/segments/${chosen.id}/contacts`, { contacts: members.map((id) => ({ id })) });
  const past = await post(old, '/v2/segments', { name: 'Past', kind: 'static' });
  await post(old, `/v2/segments/${past.id}/contacts`, { contacts: [{ email: address(4) }] });
  await eventually(async () => (await old.get(`/v2/segments/${past.id}`)).data.count === 1);
  await post(old, `/v2/segments/${past.id}/archive`, {});
  // Created before the one it refers to, so that an import has to wait for that.
  const berlin = await post(old, '/v2/segments', { name: 'Berlin', definition: { field: 'attributes.city', op: 'eq', value: 'Berlin' } });
  const both = await post(old, '/v2/segments', {
    name: 'Berlin and chosen',
    definition: { any: [{ segment: chosen.id }, { segment: berlin.id }] },
  });
  const form = await post(old, '/v2/contacts/forms', {
    name: 'Footer',
    fields: [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true }],
    consents: [{ key: 'news', channel: 'email', topics: ['news'], text: { en: 'Send me news.' }, display: 'checkbox', required: true }],
    sender: from,
    double_opt_in: { enabled: true, template_id: confirm.id },
    segment_id: chosen.id,
  });
  await post(old, '/v2/campaigns', { name: 'Spring', template_id: template.id, from, audience: { include: [both.id] }, topic: 'news' });
  const sent = await post(old, '/v2/campaigns', {
    name: 'Sent',
    subject: 'Hi',
    html: '<p>Hi</p>',
    from,
    audience: { include: [chosen.id] },
  });
  const send = (subject: string) => ({ id: 'mail', type: 'send', category: 'transactional', subject, html: '<p>Hi</p>', from });
  await post(old, '/v2/workflows', {
    ...{ name: 'Welcome', status: 'active', trigger: { type: 'segment_entered', segment_id: both.id } },
    steps: [
      { ...send('Welcome'), next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'welcomed' },
    ],
  });
  await post(old, '/v2/leadpulse/goals', { name: 'Orders', match: { event: 'order_placed' } });
  await post(old, '/v2/leadpulse/sites', { name: 'Shop', origins: ['https://shop.example.com'] });
  const hook = await post(old, '/v2/webhooks', { url: 'https://hooks.example.com/in', events: ['contact.created'] });
  const day = new Date(Date.now() - 86_400_000).toISOString();
  await post(old, '/v2/leadpulse/track', {
    events: [
      { event: 'order_placed', email: address(3), timestamp: day, value: { amount: 49.5, currency: 'EUR' }, properties: { plan: 'pro' } },
      { event: '$pageview', visitor_id: 'browser-1', timestamp: day, context: { page: { url: 'https://shop.example.com/pricing' } } },
      { event: 'called', contact_id: idBy('phone', '+4930901820'), timestamp: day },
    ],
  });
  await eventually(async () => (await itemsOf(old, '/v2/leadpulse/events')).length === 3);
  await eventually(async () => (await old.get(`/v2/segments/${both.id}`)).data.count === numbers.length / 2 + 2);
  await post(old, `/v2/campaigns/${sent.id}/send`, {});
  await eventually(async () => (await old.get(`/v2/campaigns/${sent.id}`)).data.status === 'sent');
  // Every contact of the new account would get this email, if moving in started workflows.
  const started = await post(fresh, '/v2/workflows', {
    ...{ name: 'Own', status: 'active', trigger: { type: 'contact_created' }, steps: [send('Own')] },
  });
  const mailsBefore = sink.caught.length;

  const start = (client: Client, line: string[]) =>
    spawn(process.execPath, [mp, ...line], {
      env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), MP_API_KEY: client.key ?? '', MP_BASE_URL: platform.url },
    });
  const end = async (child: ReturnType<typeof start>) => {
    child.stdin.end();
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await closed, err, result: out === '' ? undefined : JSON.parse(out) };
  };
  const killAt = async (client: Client, line: string[], state: () => Promise<string>, moments: RegExp[]) => {
    for (const moment of moments) {
      const child = start(client, line);
      const ended = end(child);
      await eventually(async () => moment.test(await state().catch(() => '')) || child.exitCode !== null);
      assert.equal(child.exitCode, null, `not killed at ${moment}`);
      child.kill('SIGKILL');
      await ended;
    }
  };

  const export1 = join(folder, 'export');
  const manifest = () => readFile(join(export1, 'export.json'), 'utf8');
  await killAt(old, ['export', export1], manifest, [/"templates"/, /"contacts"/]);
  const early = await end(start(fresh, ['import', '--from', export1, '--yes']));
  assert.match(early.err, /is not complete/);
  const exported = await end(start(old, ['export', export1]));
  assert.equal(exported.code, 0, exported.err);
  assert.deepEqual(exported.result.left_out, []);
  const { counts } = exported.result;
  assert.deepEqual(
    [counts.contacts, counts.suppressions, counts.events, counts.images, counts.members, counts.campaigns],
    [numbers.length + 2, 2, 3, 1, 4, 2],
  );
  for (const name of await readdir(export1)) {
    assert.equal((await stat(join(export1, name))).mode & 0o077, 0, `only the user can read ${name}`);
    assert.doesNotMatch(await readFile(join(export1, name), 'utf8'), /whsec_|"secret"/, `${name} has no secret`);
  }
  assert.match((await end(start(old, ['export', export1]))).err, /has a complete export/);

  const line = ['import', '--from', export1, '--output', 'json'];
  const dry = await end(start(fresh, [...line, '--dry-run']));
  assert.equal(dry.code, 0, dry.err);
  assert.deepEqual([dry.result.report.comes.contacts, dry.result.report.comes.workflows], [numbers.length + 2, 1]);
  assert.equal((await itemsOf(fresh, '/v2/contacts')).length, 0);
  const config = join(folder, 'config/marketing-platform');
  const state = async () => {
    const [name] = (await readdir(config)).filter((file) => file.endsWith('.json'));
    return name === undefined ? '' : readFile(join(config, name), 'utf8');
  };
  await killAt(fresh, [...line, '--yes'], state, [/"suppressions":/, /"templates [^{]*\{/, /"contacts":\{[^{}]*"position"/, /"workflows /]);
  const first = await end(start(fresh, [...line, '--yes']));
  assert.equal(first.code, 0, `${first.err} ${JSON.stringify(first.result?.written)}`);
  assert.deepEqual(first.result.written.errors, []);
  assert.deepEqual(await readdir(config), []);
  const again = await end(start(fresh, [...line, '--yes']));
  assert.equal(again.code, 0, again.err);
  for (const [name, { created, updated }] of Object.entries<{ created: number; updated: number }>(again.result.written.steps))
    assert.deepEqual([name, created, updated], [name, 0, 0], 'a second import changes nothing');

  // Both accounts have the same, apart from IDs, times and what starts something.
  const without = (row: Json, names: readonly string[]) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
  const keyOf = ({ email, external_id, phone, domain, name }: Json) => String(email ?? external_id ?? phone ?? domain ?? name);
  const contactsIn = async (client: Client) =>
    Object.fromEntries(
      (await itemsOf(client, '/v2/contacts?limit=100')).map((contact) => {
        const { original_created_at, ...attributes } = Object(contact.attributes);
        const said = Object.fromEntries(Object.entries(Object(contact.consent)).filter(([, value]) => value !== null));
        const own = without(contact, ['id', 'revision', 'created_at', 'updated_at', 'last_seen_at', 'consent']);
        return [keyOf(contact), { ...own, attributes, consent: said }];
      }),
    );
  const [before, after] = [await contactsIn(old), await contactsIn(fresh)];
  // Without consent becomes pending, which is not emailed either.
  for (const key of ['only-external']) for (const all of [before, after]) delete Object(all[key]).status;
  assert.deepEqual(after, before);
  const [moved] = await itemsOf(fresh, `/v2/contacts?email=${address(0)}`);
  const [original] = await itemsOf(old, `/v2/contacts?email=${address(0)}`);
  assert.equal(Object(moved?.attributes).original_created_at, original?.created_at);
  const log = await itemsOf(fresh, `/v2/contacts/${moved?.id}/consent/log`);
  assert.deepEqual(log.find(({ topic }) => topic === null)?.evidence, evidence);

  const suppressed = async (client: Client) =>
    (await itemsOf(client, '/v2/contacts/suppressions'))
      .map((row) => without(row, ['id', 'created_at', 'hash']))
      .sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
  assert.deepEqual(await suppressed(fresh), await suppressed(old));

  /** A resource of this name, with the names of segments and templates instead of their IDs. */
  const named = async (client: Client, path: string, name: string) => {
    const names = new Map<string, string>();
    for (const list of ['/v2/segments', '/v2/campaigns/templates', '/v2/contacts/forms'])
      for (const row of await itemsOf(client, list)) names.set(String(row.id), String(row.name));
    for (const row of await itemsOf(client, '/v2/campaigns/images')) names.set(String(row.url), 'image');
    const row = (await itemsOf(client, path)).find((one) => one.name === name);
    assert.ok(row, `${path} has ${name}`);
    const { data } = await client.get(`${path}/${row.id}`);
    let response = JSON.stringify(data);
    for (const [id, replacement] of names) response = response.replaceAll(id, replacement);
    return without(JSON.parse(response), ['revision', 'version', 'created_at', 'updated_at', 'evaluated_at', 'activated_at']);
  };
  for (const [path, name] of [
    ['/v2/campaigns/templates', 'Letter'],
    ['/v2/campaigns/templates', 'MJML'],
    ['/v2/segments', 'Chosen'],
    ['/v2/segments', 'Berlin'],
    ['/v2/segments', 'Berlin and chosen'],
    ['/v2/contacts/forms', 'Footer'],
    ['/v2/campaigns', 'Spring'],
  ] as const) {
    if (path === '/v2/segments') {
      const count = async (client: Client) => (await named(client, path, name)).count;
      await eventually(async () => (await count(fresh)) === (await count(old)) && (await named(fresh, path, name)).status === 'ready');
    }
    const ignored = ['id', 'backlog', 'warnings', 'template_version'];
    assert.deepEqual(without(await named(fresh, path, name), ignored), without(await named(old, path, name), ignored), `${path} ${name}`);
  }
  const [archived] = await itemsOf(fresh, '/v2/segments?archived=true');
  assert.deepEqual([archived?.name, archived?.count], ['Past', 1], 'an archived segment has its members, and is archived');
  const workflow = await named(fresh, '/v2/workflows', 'Welcome');
  assert.deepEqual(workflow.trigger, { type: 'segment_entered', segment_id: 'Berlin and chosen' });
  assert.deepEqual(workflow.steps, (await named(old, '/v2/workflows', 'Welcome')).steps);
  assert.equal(workflow.status, 'draft');
  assert.equal((await named(fresh, '/v2/campaigns', 'Sent')).status, 'draft');
  assert.equal((await named(fresh, '/v2/leadpulse/goals', 'Orders')).name, 'Orders');
  assert.deepEqual(
    (await itemsOf(fresh, '/v2/webhooks')).map(({ url, status }) => [url, status]),
    [[hook.url, 'disabled']],
  );
  assert.deepEqual((await fresh.get('/v2/campaigns/settings')).data.topics, [{ id: 'news', name: 'News' }]);

  const eventsIn = async (client: Client) =>
    (await itemsOf(client, '/v2/leadpulse/events?sort=timestamp'))
      .map(({ event, timestamp, properties, value, page, contact_id }) => ({
        event,
        timestamp,
        properties,
        value,
        page,
        of: contact_id !== null,
      }))
      .sort((a, b) => String(a.event).localeCompare(String(b.event)));
  await eventually(async () => (await eventsIn(fresh)).length === 3);
  assert.deepEqual(await eventsIn(fresh), await eventsIn(old));
  assert.ok((await itemsOf(fresh, '/v2/leadpulse/events')).every(({ backfill }) => backfill === true));

  // What the import caused has reached workflows once this contact has.
  await post(fresh, '/v2/contacts', { email: lastAddress });
  await eventually(async () => sink.caught.some(({ to }) => to === lastAddress));
  assert.equal((await itemsOf(fresh, `/v2/workflows/${started.id}/runs`)).length, 1);
  assert.deepEqual(
    sink.caught
      .slice(mailsBefore)
      .map(({ to }) => to)
      .filter((to) => to !== lastAddress),
    [],
  );
  assert.equal(form.name, 'Footer');
});
