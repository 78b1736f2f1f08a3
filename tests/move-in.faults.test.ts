import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { klaviyoAccount, listmonkInstance, mailchimpAccount, recordedServer } from '../libs/move-in/test/recorded-server.ts';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const mp = join(import.meta.dirname, '../libs/cli/src/mp.ts');
const from = { email: 'news@example.com', name: 'News' };
const count = 60;
const numbers = Array.from({ length: count }, (_, index) => index);
const address = (index: number) => `p${index}@example.com`;
const at = '2024-03-01T10:00:00.000Z';

const mailchimp = mailchimpAccount(
  {
    a: [
      ...numbers.map((index) => ({
        ...{
          id: `m${index}`,
          email_address: address(index),
          status: index === 1 ? 'unsubscribed' : index === 2 ? 'cleaned' : 'subscribed',
        },
        ...{ timestamp_opt: at, last_changed: at, ip_opt: '203.0.113.7', tags: [{ id: 1, name: 'vip' }] },
        merge_fields: { FNAME: 'Ada', LNAME: '<b>', SHOESIZE: 39, PHONE: index === 3 ? '+49 1' : index === 4 ? '+1 000 000 0000' : '' },
      })),
      { id: 'x', email_address: 'nobody', status: 'subscribed' },
    ],
    empty: [],
  },
  { html: '<p>Hi *|FNAME|* *|SHOESIZE|* *|LIST:NAME|* {{ curly }} *|CURRENT_YEAR|*</p><a href="*|UNSUB|*">Leave</a>', page: 20 },
);

const klaviyo = klaviyoAccount(
  numbers.map((index) => ({
    ...{ email: address(index), first_name: 'Ada', properties: { plan: index % 2 ? 'pro' : 3, 'Shoe size': 39 } },
    subscriptions: {
      email: {
        marketing: {
          ...{ consent: index === 1 ? 'UNSUBSCRIBED' : 'SUBSCRIBED', consent_timestamp: at, last_updated: at, double_optin: true },
          suppression: index === 2 ? [{ reason: 'HARD_BOUNCE', timestamp: at }] : [],
        },
      },
    },
  })),
  {
    members: { a: numbers.filter((index) => index !== 1 && index !== 2).map(address) },
    html: '<p>Hi {{ first_name|default:"you" }} {{ person|lookup:"Shoe size" }}</p>{% unsubscribe %}',
    page: 20,
  },
);

const listmonk = listmonkInstance(
  numbers.map((index) => ({
    ...{ id: index + 1, email: address(index), name: 'Ada Lovelace', attribs: { city: 'Berlin' }, created_at: at },
    ...{ status: 'enabled' },
    lists: [
      {
        id: 1,
        name: 'News',
        optin: 'double',
        subscription_status: index === 1 ? 'unsubscribed' : 'confirmed',
        subscription_updated_at: at,
      },
    ],
  })),
  {
    bounces: [{ id: 1, email: address(2), type: 'hard', created_at: at }],
    html: '<p>Hi {{ .Subscriber.FirstName }} {{ .Subscriber.Attribs.city }}</p>{{ template "content" . }}<a href="{{ UnsubscribeURL }}">Leave</a>',
  },
);

const systems = [
  { from: 'mailchimp', key: { MAILCHIMP_API_KEY: 'abc-us21' }, handler: mailchimp, members: count - 2, untranslated: ['*|LIST:NAME|*'] },
  { from: 'klaviyo', key: { KLAVIYO_API_KEY: 'pk_secret' }, handler: klaviyo, members: count - 2, untranslated: [] },
  {
    from: 'listmonk',
    key: { LISTMONK_API_KEY: 'api:token' },
    handler: listmonk,
    members: count - 1,
    untranslated: ['{{ template "content" . }}'],
  },
];

const lastAddress = (system: string) => `last@${system}.example`;

async function commandLine(t: TestContext, env: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'move-in-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return {
    folder,
    start: (line: string[]) => spawn(process.execPath, [mp, ...line], { env: { ...process.env, XDG_CONFIG_HOME: folder, ...env } }),
  };
}

test('moving in', async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url } });

  for (const { from: system, key, handler, members, untranslated } of systems)
    await t.test(
      `from ${system}: everything comes once, even when the import is killed, sends no email and starts no workflow`,
      async (t) => {
        const client = await platform.client('--permission', 'admin', '--account', system);
        const triggers = ['contact_created', 'contact_updated'].map((type) => ({ type }));
        const workflows: string[] = [];
        for (const trigger of triggers) {
          const steps = [{ id: 'mail', type: 'send', category: 'transactional', subject: 'Hi', html: '<p>Hi</p>', from }];
          const { status, body, data } = await client.post('/v2/workflows', { name: trigger.type, trigger, steps });
          assert.equal(status, 201, JSON.stringify(body));
          workflows.push(data.id);
        }
        // The only contacts that start runs are this one and the last.
        await client.post('/v2/contacts', { email: address(5), consent: { email: null } });
        const started = async () =>
          Promise.all(workflows.map(async (id) => (await client.get(`/v2/workflows/${id}/runs?limit=100`)).data.items.length));
        await eventually(async () => (await started())[0] === 1);

        const server = await recordedServer(t, handler, { 3: 'break', 5: 'limit' });
        const { folder, start } = await commandLine(t, { MP_API_KEY: client.key ?? '', MP_BASE_URL: platform.url, ...key });
        const line = ['import', '--from', system, '--url', server.url, '--output', 'json'];
        const end = async (child: ReturnType<typeof start>) => {
          child.stdin.end();
          const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
          const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
          return { code: await closed, err, result: out === '' ? undefined : JSON.parse(out) };
        };
        const dry = await end(start([...line, '--dry-run']));
        assert.equal(dry.code, 0, dry.err);
        assert.deepEqual([dry.result.report.comes.contacts, dry.result.written], [count, null]);
        assert.deepEqual(
          dry.result.report.untranslated.flatMap(({ tags }: { tags: string[] }) => tags),
          untranslated,
        );
        assert.equal((await client.get('/v2/contacts?include=total_count')).data.pagination.total_count, 1);

        // Killed as soon as it has read something, and as each of these steps is recorded.
        const stateOf = async () => {
          const [name] = (await readdir(join(folder, 'marketing-platform'))).filter((file) => file.endsWith('.json'));
          return name === undefined ? '' : readFile(join(folder, 'marketing-platform', name), 'utf8').catch(() => '');
        };
        const moments = [/"bytes":[1-9]/, /"suppressions":/, /"list /, /"contacts[^{]*\{[^{}]*"position"/];
        for (const moment of moments) {
          const child = start([...line, '--yes']);
          const ended = end(child);
          await eventually(async () => moment.test(await stateOf()) || child.exitCode !== null);
          assert.equal(child.exitCode, null, `not killed at ${moment}`);
          child.kill('SIGKILL');
          await ended;
        }
        const first = await end(start([...line, '--yes']));
        assert.ok(first.code === 0, first.err);
        assert.deepEqual(await readdir(join(folder, 'marketing-platform')), [], 'neither the state nor personal data stays');
        const again = await end(start([...line, '--yes']));
        assert.equal(again.code, 0, again.err);
        for (const [name, counts] of Object.entries<{ created: number; updated: number }>(again.result.written.steps))
          assert.deepEqual([name, counts.created, counts.updated], [name, 0, 0], 'a second import changes nothing');

        const total = async (query: string) =>
          (await client.get(`/v2/contacts?limit=1&include=total_count${query}`)).data.pagination.total_count;
        assert.deepEqual([await total(''), await total('&status=unsubscribed'), await total('&status=bounced')], [count, 1, 1]);
        const [contact] = (await client.get(`/v2/contacts?email=${address(0)}`)).data.items;
        assert.deepEqual([contact.first_name, contact.consent.email.status, contact.consent.email.at], ['Ada', 'subscribed', at]);
        const { items: log } = (await client.get(`/v2/contacts/${contact.id}/consent/log`)).data;
        assert.match(JSON.stringify(log), new RegExp(system, 'i'), 'the consent log has where the consent comes from');
        const { items: suppressions } = (await client.get('/v2/contacts/suppressions')).data;
        assert.deepEqual(
          [suppressions.length, suppressions[0].email, suppressions[0].reason, suppressions[0].suppressed_at],
          [1, address(2), 'hard_bounce', at],
        );
        const segments: { id: string; kind: string; count: number }[] = (await client.get('/v2/segments')).data.items;
        assert.ok(segments.every(({ kind }) => kind === 'static'));
        await eventually(async () => {
          const counts = (await client.get('/v2/segments')).data.items.map((segment: { count: number }) => segment.count);
          return Math.max(...counts) === members;
        });
        const { items: templates } = (await client.get('/v2/campaigns/templates')).data;
        assert.equal(templates.length, 1);
        const { html } = (await client.get(`/v2/campaigns/templates/${templates[0].id}`)).data;
        assert.match(html, /\{\{ contact\.first_name/);
        assert.match(html, /\{\{ unsubscribe_url \}\}/);

        // What the import caused has reached workflows once this contact has.
        await client.post('/v2/contacts', { email: lastAddress(system), consent: { email: null } });
        await eventually(async () => (await started())[0] === 2);
        assert.equal((await started())[1], 0);
        await eventually(async () => sink.caught.some(({ to }) => to === lastAddress(system)));
        const written = [address(5), ...systems.map((one) => lastAddress(one.from))];
        assert.deepEqual(
          sink.caught.map(({ to }) => to).filter((to) => !written.includes(to)),
          [],
        );
      },
    );
});
