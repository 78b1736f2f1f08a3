import type { DemoClient } from './client.ts';

const contacts = '/v2/contacts';

const names = [
  'Amelie',
  'Bruno',
  'Clara',
  'Dario',
  'Elif',
  'Finn',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Kaja',
  'Luca',
  'Mara',
  'Noah',
  'Oda',
  'Pablo',
  'Romy',
];

/** A file as another program exports it: with other column names, semicolons, and some invalid rows. */
function readersFile(count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const email = index % 70 === 3 ? `reader${index} at mail.example` : `reader${index}@mail.example`;
    return `demo-reader-${index};${email};${names[index % names.length]};${index % 12};newsletter`;
  });
  return ['Reader;E-Mail;First Name;Issues;Tags', ...rows, ''].join('\r\n');
}

type Step = { name: string; work: (client: DemoClient) => Promise<void> };

/** Creates data beyond plain contacts: consent, imports, merges, erasures, exports. Each step is idempotent. */
export const contactWork: readonly Step[] = [
  {
    name: 'consent with its evidence',
    async work(client) {
      const { items } = await client.get(`${contacts}?external_id=demo-0`);
      const evidence = { ip: '203.0.113.7', source: 'https://example.com/newsletter', text: 'Yes, send me the newsletter.' };
      await client.put(`${contacts}/${items[0].id}/consent`, {
        sms: { status: 'subscribed', method: 'form', evidence },
        topics: { newsletter: { email: { status: 'subscribed', method: 'double_opt_in', evidence } } },
      });
    },
  },
  {
    name: 'an import with invalid rows',
    async work(client) {
      if ((await client.get(`${contacts}/imports?limit=1`)).items.length > 0) return;
      const mapping = encodeURIComponent(JSON.stringify({ Reader: 'external_id', Issues: 'attributes.issues:number' }));
      const path = `${contacts}/imports?match_on=external_id&mapping=${mapping}`;
      const { id } = await client.upload(path, readersFile(200), 'text/csv');
      await ended(client, `${contacts}/imports/${id}`);
    },
  },
  {
    name: 'an attribute of another type',
    async work(client) {
      const wrong = { external_id: 'demo-1', attributes: { seats: 'many' } };
      const { results } = await client.post(`${contacts}/batch`, { match_on: 'external_id', contacts: [wrong] });
      if (results[0].status !== 'error') throw new Error('An attribute accepted a value of another type.');
    },
  },
  {
    name: 'a search by a rule',
    async work(client) {
      const rule = {
        all: [
          { field: 'attributes.issues', op: 'exists' },
          { field: 'tags', op: 'contains', value: 'newsletter' },
        ],
      };
      const { items } = await client.post(`${contacts}/search`, { rule, limit: 3 });
      if (items.length === 0) throw new Error('The search did not find the imported contacts.');
    },
  },
  {
    name: 'a merge that is undone',
    async work(client) {
      const upsert = (body: object) => client.put(`${contacts}?match_on=external_id`, body);
      const { id } = await upsert({ external_id: 'demo-double-1', email: 'mia@mail.example', first_name: 'Mia' });
      if ((await client.get(`${contacts}/${id}/merges`)).items.length > 0) return;
      const { id: source_id } = await upsert({ external_id: 'demo-double-2', email: 'm.berg@post.example', last_name: 'Berg' });
      const { merge_id } = await client.post(`${contacts}/${id}/merge`, { source_id });
      await client.post(`${contacts}/${id}/merges/${merge_id}/undo`);
    },
  },
  {
    name: 'an erasure with a suppression',
    async work(client) {
      const email = 'forget-me@mail.example';
      if ((await client.get(`${contacts}/suppressions?email=${email}`)).items.length > 0) return;
      const { id } = await client.put(contacts, { email, first_name: 'Nobody' });
      await client.post(`${contacts}/${id}/erase`, { suppress: true });
    },
  },
  {
    name: 'an export',
    async work(client) {
      if ((await client.get(`${contacts}/exports?limit=1`)).items.length > 0) return;
      const rule = { field: 'tags', op: 'contains', value: 'newsletter' };
      const { id } = await client.post(`${contacts}/exports`, { format: 'csv', rule });
      await ended(client, `${contacts}/exports/${id}`);
    },
  },
];

/** Paths that show the results. */
export async function contactLinks(client: DemoClient): Promise<string[]> {
  const first = async (path: string) => (await client.get(path)).items[0];
  const [person, double, imported, exported] = await Promise.all([
    first(`${contacts}?external_id=demo-0`),
    first(`${contacts}?external_id=demo-double-1`),
    first(`${contacts}/imports?limit=1`),
    first(`${contacts}/exports?limit=1`),
  ]);
  return [
    `${contacts}/attributes`,
    `${contacts}/suppressions?email=forget-me@mail.example`,
    `${contacts}/${person.id}/consent/log`,
    `${contacts}/${person.id}/timeline?limit=5`,
    `${contacts}/${double.id}/merges`,
    ...[imported?.errors_url, exported?.download_url].filter((url) => typeof url === 'string'),
  ];
}

async function ended(client: DemoClient, path: string) {
  for (;;) {
    const { status } = await client.get(path);
    if (status === 'completed') return;
    if (status === 'failed' || status === 'cancelled') throw new Error(`${path} is ${status}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
