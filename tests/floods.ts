import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@mp/test-kit/eventually';
import { createClient } from './client.ts';
import type { Json } from './contract.ts';
import type { startMailSink } from './mail-sink.ts';
import type { Platform } from './platform.ts';

type Test = { after: (cleanUp: () => Promise<void>) => void };
type Account = Awaited<ReturnType<typeof newAccount>>;
type IsOn = () => boolean;

const known = 60;
const [senders, eventsAtOnce] = [6, 100];
const reportsAtOnce = 8;
const from = { email: 'news@example.com' };
/** The contacts of a segment that a third of the imported ones enter. */
const rule = { field: 'attributes.score', op: 'gte', value: 66 };

async function newAccount(platform: Platform, name: string) {
  const key = await platform.command('key.ts', '--name', name, '--permission', 'admin', '--account', name, '--plan', 'enterprise');
  const client = createClient(platform.url, key);
  const send = async (method: string, path: string, body?: Json, type = 'application/json'): Promise<Json> => {
    const { status, data, text } = await client.call(method, path, body, { 'content-type': type });
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`);
    return data;
  };
  let imported = 0;
  return {
    client,
    post: (path: string, body: Json) => send('POST', path, body),
    get: (path: string) => send('GET', path),
    /** Imports so many new contacts, until the file is read. */
    async importNew(count: number) {
      const rows = Array.from({ length: count }, (_, index) => `c${imported + index}@${name}.example,${index % 100}`);
      imported += count;
      const file = ['email,attributes.score:number', ...rows].join('\n');
      const { id } = await send('POST', '/v2/contacts/imports?default_consent=subscribed', file, 'text/csv');
      while (!['completed', 'failed'].includes((await send('GET', `/v2/contacts/imports/${id}`)).status)) await pause(100);
    },
  };
}

const visit = (number: number, who: object) => ({
  ...{ event: '$pageview', ...who },
  context: { page: { url: `https://busy.example/p${number % 30}` } },
});

/** Page views of `senders` clients, as fast as they are accepted. Resolves to how many were. */
async function track({ post }: Account, isOn: IsOn, whoIs: (number: number) => object) {
  let sent = 0;
  const one = async () => {
    do {
      const first = sent;
      sent += eventsAtOnce;
      await post('/v2/leadpulse/track', { events: Array.from({ length: eventsAtOnce }, (_, n) => visit(first + n, whoIs(first + n))) });
    } while (isOn());
  };
  await Promise.all(Array.from({ length: senders }, one));
  return sent;
}

/** A receiver that takes requests and never responds. */
async function startHanging(t: Test): Promise<string> {
  const server = createServer((request) => void request.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/**
 * What one account can do to others: each kind goes on while `isOn`, with an account of its own. The platform needs
 * `WEBHOOK_ALLOW_PRIVATE`. `size`: the contacts of an import.
 */
export async function createFloods(t: Test, platform: Platform, { size }: { size: number }) {
  const hanging = await startHanging(t);
  const accountOf = async (name: string) => {
    const account = await newAccount(platform, name);
    const { id } = await account.post('/v2/segments', { name: 'A third', definition: rule });
    return { ...account, segmentId: String(id) };
  };
  const [people, importer, sender, caller, reporter] = [
    await accountOf('people'),
    await accountOf('importer'),
    await accountOf('sender'),
    await accountOf('caller'),
    await accountOf('reporter'),
  ];
  const names = Array.from({ length: known }, (_, person) => ({ external_id: `u${person}`, email: `u${person}@people.example` }));
  await people.post('/v2/contacts/batch', { contacts: names });
  const trigger = { type: 'segment_entered', segment_id: importer.segmentId };
  const tag = [{ id: 'tag', type: 'add_tag', tag: 'third' }];
  await importer.post('/v2/workflows', { name: 'A third', status: 'active', trigger, steps: tag });
  await sender.importNew(size);
  await caller.post('/v2/webhooks', { url: hanging, events: ['contact.created'] });
  await caller.post('/v2/workflows', {
    ...{ name: 'Calls', status: 'active', trigger: { type: 'contact_created' } },
    steps: [{ id: 'hook', type: 'webhook', url: hanging }],
  });
  await track(
    reporter,
    () => false,
    (number) => ({ visitor_id: `v${number % known}` }),
  );

  let viewed = 0;
  const view = async (isOn: IsOn, whoIs: (number: number) => object) => {
    viewed += await track(people, isOn, whoIs);
  };
  const repeat = async (isOn: IsOn, work: () => Promise<unknown>) => {
    do await work();
    while (isOn());
  };
  const kinds = new Map<string, (isOn: IsOn) => Promise<unknown>>([
    ['events of known people', (isOn) => view(isOn, (number) => ({ external_id: `u${number % known}`, visitor_id: `v${number % known}` }))],
    ['events of unknown people', (isOn) => view(isOn, (number) => ({ visitor_id: `unknown-${number}` }))],
    ['imports', (isOn) => repeat(isOn, () => importer.importNew(size))],
    [
      'sends',
      (isOn) =>
        repeat(isOn, async () => {
          const audience = { include: [sender.segmentId] };
          const { id } = await sender.post('/v2/campaigns', { name: 'News', subject: 'News', from, html: '<p>Hello</p>', audience });
          await sender.post(`/v2/campaigns/${id}/send`, {});
          await eventually(async () => (await sender.get(`/v2/campaigns/${id}`)).status === 'sent');
        }),
    ],
    [
      'reports',
      (isOn) =>
        Promise.all(
          Array.from({ length: reportsAtOnce }, (_, index) =>
            repeat(isOn, () => reporter.post('/v2/leadpulse/query', { metrics: ['visitors'], dimensions: ['page'], limit: index + 1 })),
          ),
        ),
    ],
    // The last one: its runs call again and again.
    ['hanging webhooks', (isOn) => repeat(isOn, () => caller.importNew(size / 10))],
  ]);
  return {
    kinds,
    /** How many accepted events of the floods are not counted; 0 once the platform has nothing left to do. */
    uncounted: async () => viewed - (await people.get('/v2/leadpulse/analytics')).totals.events,
  };
}

/** The milliseconds that an account which does one thing at a time waits for what follows from it. */
export async function createWaits(platform: Platform, sink: Awaited<ReturnType<typeof startMailSink>>) {
  const { client, post, get } = await newAccount(platform, 'quiet');
  await post('/v2/contacts', { external_id: 'ada', email: 'ada@quiet.example' });
  const { id: segmentId } = await post('/v2/segments', { name: 'Scored', definition: rule });
  const { id: workflowId } = await post('/v2/workflows', {
    ...{ name: 'Order', status: 'active', trigger: { type: 'event', name: 'order_placed' }, entry: { policy: 'every_time' } },
    steps: [{ id: 'end', type: 'exit' }],
  });
  const { id: adaId } = await post('/v2/segments', { name: 'Ada', definition: { field: 'external_id', op: 'eq', value: 'ada' } });
  const audience = { include: [adaId] };
  let number = 0;
  const newestRun = async () => (await get(`/v2/workflows/${workflowId}/runs?limit=1`)).items[0]?.id;
  const timed = async (work: () => Promise<unknown>) => {
    number += 1;
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  return new Map<string, () => Promise<number>>([
    [
      'event → run',
      async () => {
        const before = await newestRun();
        return timed(async () => {
          await post('/v2/leadpulse/track', { event: 'order_placed', external_id: 'ada' });
          await eventually(async () => (await newestRun()) !== before);
        });
      },
    ],
    [
      'contact → segment',
      () =>
        timed(async () => {
          const { id } = await post('/v2/contacts', { email: `c${number}@quiet.example`, attributes: { score: 100 } });
          // 404 until segments knows the contact.
          const segments = async () => (await client.get(`/v2/contacts/${id}/segments`)).data?.items ?? [];
          await eventually(async () => (await segments()).some((one: Json) => one.id === segmentId));
        }),
    ],
    [
      'message → sent',
      () =>
        timed(async () => {
          const email = `m${number}@quiet.example`;
          await post('/v2/campaigns/messages', { to: { email }, from, content: { subject: 'Your order', html: '<p>Thank you.</p>' } });
          await eventually(async () => sink.to(email).length > 0);
        }),
    ],
    [
      'send → frozen',
      async () => {
        const { id } = await post('/v2/campaigns', { name: `News ${number}`, subject: 'News', from, html: '<p>Hello</p>', audience });
        return timed(async () => {
          await post(`/v2/campaigns/${id}/send`, {});
          await eventually(async () => (await get(`/v2/campaigns/${id}`)).audience_count !== null);
        });
      },
    ],
  ]);
}
