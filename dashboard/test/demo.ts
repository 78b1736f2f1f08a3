import assert from 'node:assert/strict';
import { eventually } from '@mp/test-kit/eventually';
import type { Client } from '../../tests/client.ts';

/** A name that would run as a script if a page rendered it as HTML: its request and its dialogs fail the test. */
export const script = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

const firstNames = ['Ada', 'Grace', 'Linus', 'Margaret', 'Dennis', 'Barbara', 'Edsger', 'Hedy', 'Alan', 'Katherine'];
const lastNames = ['Lovelace', 'Hopper', 'Torvalds', 'Hamilton', 'Ritchie', 'Liskov', 'Dijkstra', 'Lamarr', 'Turing', 'Johnson'];
const cities = ['Berlin', 'Hamburg', 'Wien', 'Zürich', 'Bonn'];
const plans = ['starter', 'growth', 'professional'];
const pages = ['/', '/pricing', '/docs', '/blog/deliverability', '/signup'];
const referrers = ['https://www.google.com/', 'https://news.ycombinator.com/', null, null, 'https://duckduckgo.com/'];
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
];
const hour = 3_600_000;
const from = { email: 'news@example.com', name: 'Example News' };

const pick = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length];
  assert.ok(item !== undefined);
  return item;
};
const emailOf = (index: number) => `${pick(firstNames, index).toLowerCase()}.${index}@example.com`;

export type Demo = Awaited<ReturnType<typeof fillWithDemo>>;

/**
 * Fills an account through the API with some weeks of data: contacts, segments, campaigns, visits, workflows. Text that
 * untrusted users control, such as one contact's name and a page title, is `named`.
 */
export async function fillWithDemo(client: Client, named = script) {
  const ok = async (response: ReturnType<Client['get']>) => {
    const { status, data, body } = await response;
    assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
    return data;
  };
  const post = (path: string, body: object = {}) => ok(client.post(path, body));

  const contacts = Array.from({ length: 240 }, (_, index) => ({
    email: emailOf(index),
    external_id: `customer-${index}`,
    first_name: pick(firstNames, index),
    last_name: pick(lastNames, Math.floor(index / firstNames.length) + index),
    company: index % 3 === 0 ? 'Example GmbH' : 'Sample & Sons',
    address: { city: pick(cities, index), country: 'DE' },
    tags: index % 4 === 0 ? ['customer', 'newsletter'] : ['newsletter'],
    attributes: { plan: pick(plans, index), seats: (index % 12) + 1 },
    ...(index % 15 === 7 && { consent: { email: { status: 'unsubscribed' } } }),
  }));
  await post('/v2/contacts/batch', { match_on: 'email', contacts });
  const unsafe = await post('/v2/contacts', {
    email: 'script@example.com',
    first_name: named,
    company: named,
    tags: ['<b>bold</b>'],
    attributes: { note: named },
  });
  const { id: adaId } = (await ok(client.get(`/v2/contacts?email=${emailOf(0)}`))).items[0];
  const twin = await post('/v2/contacts', { email: 'ada@example.org', first_name: 'Ada', job_title: 'Analyst' });
  await post(`/v2/contacts/${adaId}/merge`, { source_id: twin.id });
  const evidence = { source: 'Newsletter form', text: 'Yes, write to me about new releases.', ip: '203.0.113.7' };
  await ok(
    client.put(`/v2/contacts/${adaId}/consent`, { topics: { releases: { email: { status: 'subscribed', method: 'form', evidence } } } }),
  );
  await ok(client.put(`/v2/contacts/${adaId}/consent`, { sms: { status: 'unsubscribed', method: 'link' } }));
  const ada = await ok(client.get(`/v2/contacts/${adaId}`));
  await post('/v2/contacts/suppressions', { email: 'gone@example.org', note: 'Asked by phone.' });
  await post('/v2/contacts/suppressions', { domain: 'example.net', reason: 'complaint' });
  const file = 'E-mail,First name,Notes\nedith@example.org,Edith,met in Wien\nnot an address,Nobody,\nrosalind@example.org,Rosalind,\n';
  const imported = await ok(client.call('POST', '/v2/contacts/imports', file, { 'content-type': 'text/csv' }));
  await post('/v2/contacts/exports', { format: 'csv' });

  const berlin = await post('/v2/segments', {
    name: 'Customers in Berlin',
    description: 'Pay us, and live where the office is',
    definition: {
      all: [
        { field: 'address.city', op: 'eq', value: 'Berlin' },
        { field: 'tags', op: 'contains', value: 'customer' },
        { date: 'created_at', op: 'in_last', value: 'P90D' },
        {
          any: [
            { field: 'attributes.seats', op: 'gte', value: 1 },
            { event: 'order_placed', count: { gte: 2 }, in_last: 'P30D' },
          ],
        },
      ],
    },
  });
  const bigTeams = await post('/v2/segments', { name: 'Big teams', definition: { field: 'attributes.seats', op: 'gte', value: 8 } });
  await eventually(async () => {
    const { items } = await ok(client.get('/v2/segments'));
    return items.every(({ status }: { status: string }) => status === 'ready');
  });

  const html = `<h1 style="color: #4263eb">Autumn is here</h1><p>Hi {{ contact.first_name }},</p>
<p>our <a href="https://example.com/autumn">autumn release</a> is out.</p>${script}<img src="https://images.example/pixel.gif" alt="A leaf">`;
  const sent = await post('/v2/campaigns', {
    name: 'Autumn release',
    subject: '{{ contact.first_name }}, autumn is here',
    preview_text: 'What is new in the release',
    from,
    html,
    audience: { include: [bigTeams.id] },
  });
  await post(`/v2/campaigns/${sent.id}/send`);

  await post('/v2/leadpulse/track', { events: [...visits(28)] });
  await post('/v2/leadpulse/track', {
    event: '$pageview',
    visitor_id: 'visitor-script',
    email: emailOf(0),
    context: { page: { url: 'https://example.com/pricing', title: named, referrer: null }, user_agent: agents[0] },
  });

  const welcome = await post('/v2/workflows', {
    name: 'Welcome',
    description: 'The first week of a customer',
    trigger: { type: 'manual' },
    steps: [
      { id: 'greet', name: 'Say hello', type: 'add_tag', tag: 'welcomed', next: 'team' },
      {
        id: 'team',
        name: 'Big team?',
        type: 'branch',
        branches: [{ when: { field: 'attributes.seats', op: 'gte', value: 8 }, to: 'invite' }],
        else: 'wait',
      },
      { id: 'invite', type: 'update_contact', set: { source: 'welcome' }, next: 'wait' },
      { id: 'wait', type: 'delay', for: 'P3D', next: 'mail' },
      { id: 'mail', type: 'send', subject: 'How is it going, {{ contact.first_name }}?', from, html: '<p>Hi</p>' },
    ],
  });
  const tagging = await post('/v2/workflows', {
    name: 'Tag everybody who asks',
    trigger: { type: 'manual' },
    steps: [{ id: 'tag', type: 'add_tag', tag: 'asked' }],
  });
  const patient = [
    { id: 'wait', name: 'Wait a moment', type: 'delay', for: 'PT1S', next: 'tag' },
    { id: 'tag', type: 'add_tag', tag: 'asked' },
  ];
  await ok(client.put(`/v2/workflows/${tagging.id}`, { steps: patient }));
  await post(`/v2/workflows/${welcome.id}/trigger`, { contacts: [0, 1, 2, 3, 4, 5].map((index) => ({ email: emailOf(index) })) });

  const draft = await post('/v2/campaigns', {
    name: 'Winter offer',
    subject: 'An offer for {{ contact.company }}',
    from,
    html,
    audience: { include: ['all'] },
  });
  await eventually(async () => (await ok(client.get(`/v2/campaigns/${sent.id}`))).status === 'sent');
  await eventually(async () => (await ok(client.get('/v2/leadpulse/visitors'))).items.length > 10);
  await eventually(async () => (await ok(client.get(`/v2/contacts/imports/${imported.id}`))).status === 'completed');

  return { ada, unsafe, imported, berlin, bigTeams, welcome, tagging, sent, draft };
}

/** Visits of the last days, with a rising trend; some end with an order. */
function* visits(days: number) {
  for (let day = days; day >= 0; day -= 1) {
    const visitors = 4 + ((days - day) % 7) + Math.floor((days - day) / 4);
    for (let visitor = 0; visitor < visitors; visitor += 1) {
      const index = day * 7 + visitor;
      const start = Date.now() - day * 24 * hour - (visitor + 1) * 0.6 * hour;
      const context = { user_agent: pick(agents, index), country: pick(['DE', 'AT', 'CH', 'US'], index) };
      const who = { visitor_id: `visitor-${index % 90}`, backfill: true };
      for (let view = 0; view <= index % 3; view += 1) {
        const page = {
          url: `https://example.com${pick(pages, index + view)}`,
          title: 'Example',
          referrer: view === 0 ? pick(referrers, index) : null,
        };
        yield { ...who, event: '$pageview', timestamp: new Date(start + view * 40_000).toISOString(), context: { ...context, page } };
      }
      if (index % 9 === 0)
        yield {
          ...who,
          event: 'order_placed',
          timestamp: new Date(start + 300_000).toISOString(),
          value: { amount: 49, currency: 'EUR' },
          context,
        };
    }
  }
}
