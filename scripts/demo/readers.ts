import { base, en, Faker } from '@faker-js/faker';
import type { DemoClient } from './client.ts';
import { agents } from './visits.ts';

type Mail = { path: string; subject: string; to: string };

/** A click this soon after sending counts as that of a program. */
const firstClickAfterMs = 2_500;
const readersAtOnce = 8;

/** Watches the local mailbox, which shows only its latest emails; empty if the platform sends to a real mail server. */
export function createMailWatch(url: string) {
  const seen = new Set<string>();
  return {
    /** The emails that have arrived since the last call. */
    async arrived(): Promise<Mail[]> {
      const response = await fetch(`${url}/t/mailbox`);
      const list = await response.text();
      if (!response.ok) return [];
      const mails = [...list.matchAll(/href="(\/t\/mailbox\/[^"]+)">([^<]*)<.*?<small>([^<]*)<\/small>/g)].map(
        ([, path = '', subject = '', to = '']) => ({ path, subject, to }),
      );
      const fresh = mails.filter(({ path }) => !seen.has(path));
      for (const { path } of fresh) seen.add(path);
      return fresh;
    },
  };
}

type Reading = {
  url: string;
  client: DemoClient;
  mails: readonly Mail[];
  /** The name of the campaign. */
  campaign: string;
  /** The share of people who open an email with this subject. */
  appealOf: (subject: string) => number;
};

/** Reads emails as people do: some open them, some of these click, and some of these order. */
export async function readMails({ url, client, mails, campaign, appealOf }: Reading) {
  const dice = new Faker({ locale: [en, base], seed: [...campaign].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 100_000 });
  const began = Date.now();
  const clicks: { to: string; agent: string; link: string }[] = [];
  const readers = mails
    .map((mail) => ({ ...mail, agent: dice.helpers.arrayElement(people), luck: dice.number.float(), taste: dice.number.float() }))
    .filter(({ luck, subject }) => luck < appealOf(subject));
  await inTurns(readers, async ({ path, to, agent, taste }) => {
    const html = await (await fetch(`${url}${path}/html`)).text();
    const [pixel] = linksIn(html, /src="([^"]+\/t\/o[^"]+)"/g);
    if (pixel) await visit(pixel, agent);
    const links = linksIn(html, /href="([^"]+\/t\/c[^"]+)"/g);
    // Most clicks are on the first link, which is the button.
    const link = links[taste < 0.26 ? 0 : taste < 0.32 ? 1 : taste < 0.36 ? 2 : links.length];
    if (link) clicks.push({ to, agent, link });
  });
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + firstClickAfterMs - Date.now())));
  await inTurns(clicks, ({ link, agent }) => visit(link, agent));
  const orders = clicks
    .filter(() => dice.datatype.boolean(0.3))
    .map(({ to, agent }) => ({
      ...{ event: 'order_placed', message_id: `demo-${campaign}-${to}`, visitor_id: `demo-reader-${to}`, email: to },
      ...{ value: { amount: dice.number.int({ min: 19, max: 149 }), currency: 'EUR' }, context: { user_agent: agent } },
    }));
  if (orders.length > 0) await client.post('/v2/leadpulse/track', { events: orders.slice(0, 500) });
}

/** Without the crawler. */
const people = agents.filter((agent) => !agent.includes('bot'));

const linksIn = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

async function visit(link: string, agent: string) {
  const response = await fetch(link, { headers: { 'user-agent': agent }, redirect: 'manual' });
  await response.arrayBuffer();
}

async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const waiting = items.values();
  const workers = Array.from({ length: readersAtOnce }, async () => {
    for (const item of waiting) await work(item);
  });
  await Promise.all(workers);
}
