import { base, en, Faker } from '@faker-js/faker';
import type { DemoClient } from './client.ts';

const dayMs = 24 * 60 * 60_000;
/** As many as a network may submit to a form within minutes. */
const count = 30;
const days = 28;

const shop = 'https://shop.example';
const pages = [`${shop}/blog/segments-explained`, `${shop}/blog/segments-explained`, `${shop}/pricing`, `${shop}/`, null];
const sources = ['www.google.com', 'www.google.com', 'newsletter', 'www.linkedin.com', null];

const newsletter = {
  name: 'Newsletter',
  title: { en: 'News for people who send emails', de: 'Neues für alle, die E-Mails senden' },
  description: { en: 'Once a month, without noise.', de: 'Einmal im Monat, ohne Rauschen.' },
  submit_label: { en: 'Subscribe', de: 'Abonnieren' },
  fields: [
    { field: 'email', type: 'email', label: { en: 'Email', de: 'E-Mail' }, required: true },
    { field: 'first_name', type: 'text', label: { en: 'First name', de: 'Vorname' } },
  ],
  consents: [
    {
      ...{ key: 'news', channel: 'email', topics: ['newsletter'], required: true },
      text: { en: 'Yes, send me the newsletter once a month.', de: 'Ja, ich möchte den Newsletter einmal im Monat.' },
    },
  ],
  sender: { email: 'news@shop.example', name: 'Acme Shop' },
  tags: ['newsletter'],
  allowed_origins: [shop],
};

export type SignUp = { email: string; at: Date; page: string | null; source: string | null; confirms: boolean; orders: number };

/** Who signs up, in the past four weeks: more often recently, most of whom confirm, and some of whom order later. */
export function demoSignUps(until: Date): (SignUp & { first_name: string })[] {
  const dice = new Faker({ locale: [en, base], seed: 28 });
  return Array.from({ length: count }, (_, index) => ({
    email: `signup${index}@mail.example`,
    first_name: dice.person.firstName(),
    at: new Date(until.getTime() - days * dayMs * (1 - (index + 0.5) / count) ** 1.3),
    page: dice.helpers.arrayElement(pages),
    source: dice.helpers.arrayElement(sources),
    confirms: dice.datatype.boolean(0.75),
    orders: dice.datatype.boolean(0.3) ? dice.number.int({ min: 1, max: 3 }) : 0,
  }));
}

export type DemoForm = { id: string; name: string; signUps: ReturnType<typeof demoSignUps> };

type Creating = { url: string; client: DemoClient; mails: () => Promise<{ path: string; to: string }[]>; advance: (by: number) => void };

/** Creates the form, and signs people up on its page as visitors do. Returns who did; nobody if the form existed. */
export async function createDemoForm({ url, client, mails, advance }: Creating): Promise<DemoForm> {
  const { item: form, created } = await client.named('/v2/contacts/forms', newsletter);
  const signUps = created ? demoSignUps(new Date()) : [];
  const waiting = new Set(signUps.filter(({ confirms }) => confirms).map(({ email }) => email));
  for (const { email, first_name, page, source } of signUps) {
    const from = { ...(page !== null && { page }), ...(source !== null && { source }) };
    await submit(`${form.url}/submissions`, {
      fields: { email, first_name },
      consents: ['news'],
      submission_id: email.replaceAll(/\W/g, '-'),
      ...from,
    });
    advance(1);
  }
  // The local mailbox; with a real mail server, nobody confirms.
  for (let round = 0; waiting.size > 0 && round < 60; round += 1) {
    for (const { path, to } of await mails()) {
      if (!waiting.delete(to)) continue;
      const html = await (await fetch(`${url}${path}/html`)).text();
      const [, link] = /href="([^"]+\/f\/confirm\/[^"]+)"/.exec(html) ?? [];
      if (link) await fetch(link, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    }
    if (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return { id: form.id, name: form.name, signUps };
}

async function submit(url: string, body: object) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    await response.arrayBuffer();
    if (response.ok) return;
    if (response.status !== 429 && response.status !== 503) throw new Error(`A submission of the demo's form returned ${response.status}.`);
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after') ?? 1) * 1_000));
  }
}

/** Orders of those who signed up, since they did; now if the past could not be dated. */
export async function orderLater(client: DemoClient, { signUps }: DemoForm, { isDated }: { isDated: boolean }) {
  const dice = new Faker({ locale: [en, base], seed: 29 });
  const orders = signUps.flatMap(({ email, at, orders: number }) =>
    Array.from({ length: number }, (_, index) => ({
      ...{ event: 'order_placed', message_id: `demo-${email}-${index}`, visitor_id: `demo-${email}`, email, backfill: true },
      ...(isDated && {
        timestamp: new Date(at.getTime() + (Date.now() - at.getTime()) * dice.number.float({ min: 0.1, max: 0.9 })).toISOString(),
      }),
      value: { amount: dice.number.int({ min: 19, max: 149 }), currency: 'EUR' },
    })),
  );
  if (orders.length > 0) await client.post('/v2/leadpulse/track', { events: orders });
}
