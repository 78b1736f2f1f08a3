import { base, en, Faker } from '@faker-js/faker';

const dayMs = 24 * 60 * 60 * 1_000;
const site = 'https://shop.example';
/** The paths of the shop with their titles; the first ones are viewed more often. */
const titles = new Map([
  ['/', 'Acme Shop'],
  ['/pricing', 'Pricing – Acme Shop'],
  ['/features', 'Features – Acme Shop'],
  ['/blog/segments-explained', 'Segments explained – Acme Shop'],
  ['/blog/deliverability', 'How emails arrive – Acme Shop'],
  ['/docs', 'Documentation – Acme Shop'],
  ['/contact', 'Contact – Acme Shop'],
]);
const pages = ['/', '/', '/pricing', ...titles.keys()];
const countries = ['US', 'DE', 'GB', 'FR', 'ES'];
const referrers = [
  null,
  null,
  'https://www.google.com/',
  'https://www.google.com/',
  'https://duckduckgo.com/',
  'https://www.linkedin.com/',
  'https://news.ycombinator.com/',
];
const campaigns = [
  null,
  null,
  null,
  { source: 'newsletter', medium: 'email', name: 'autumn' },
  { source: 'google', medium: 'cpc', name: 'brand' },
];
export const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
];

/**
 * Events of visitors in the 90 days before `until`, oldest first: page views in sessions, some sign-ups and orders. Each
 * event has a unique message id, so that sending it twice counts once.
 */
export function demoVisits(count: number, people: number, until: Date) {
  const dice = new Faker({ locale: [en, base], seed: 90 });
  const events: { time: number; event: object }[] = [];
  for (let visit = 0; events.length < count; visit += 1) {
    const visitor = dice.number.int({ min: 0, max: 3_999 });
    const known = visitor < 1_500;
    const context = {
      user_agent: dice.helpers.weightedArrayElement(agents.map((value, index) => ({ value, weight: index === 4 ? 1 : 12 }))),
      country: dice.helpers.arrayElement(countries),
    };
    const [referrer, campaign] = [dice.helpers.arrayElement(referrers), dice.helpers.arrayElement(campaigns)];
    // More visits recently than three months ago, and none in the future.
    let time = until.getTime() - 60 * 60_000 - Math.floor(dice.number.float() ** 1.4 * 89 * dayMs);
    const steps = dice.number.int({ min: 1, max: 6 });
    for (let step = 0; step < steps && events.length < count; step += 1) {
      const ordered = step === steps - 1 && steps >= 4 && dice.datatype.boolean(0.3);
      const path = dice.helpers.arrayElement(pages);
      events.push({
        time,
        event: {
          event: ordered ? 'order_placed' : '$pageview',
          message_id: `demo-${visit}-${step}`,
          visitor_id: `demo-visitor-${visitor}`,
          ...(known && step === 0 ? { external_id: `demo-${visitor % people}` } : {}),
          timestamp: new Date(time).toISOString(),
          // Past orders start no workflow.
          backfill: true,
          context: {
            ...context,
            page: { url: site + path, title: titles.get(path), referrer: step === 0 ? referrer : site },
            ...(step === 0 && campaign ? { campaign } : {}),
          },
          ...(ordered
            ? {
                properties: { items: dice.number.int({ min: 1, max: 5 }) },
                value: { amount: dice.number.int({ min: 9, max: 499 }), currency: 'EUR' },
              }
            : {}),
        },
      });
      time += dice.number.int({ min: 5_000, max: 240_000 });
    }
  }
  return events.sort((a, b) => a.time - b.time).map(({ event }) => event);
}

/** Every third contact has ordered two to four times in the 85 days before `until`, so that regular buyers live in every city. */
export function demoRegulars(people: number, until: Date) {
  const dice = new Faker({ locale: [en, base], seed: 17 });
  return Array.from({ length: Math.ceil(people / 3) }, (_, index) => index * 3).flatMap((person) =>
    Array.from({ length: dice.number.int({ min: 2, max: 4 }) }, (_, order) => ({
      event: 'order_placed',
      message_id: `demo-regular-${person}-${order}`,
      visitor_id: `demo-regular-${person}`,
      external_id: `demo-${person}`,
      timestamp: new Date(until.getTime() - 60 * 60_000 - Math.floor(dice.number.float() * 85 * dayMs)).toISOString(),
      // Past orders start no workflow.
      backfill: true,
      context: {
        user_agent: agents[person % (agents.length - 1)],
        country: countries[person % countries.length],
        page: { url: `${site}/pricing`, title: titles.get('/pricing') },
      },
      properties: { items: dice.number.int({ min: 1, max: 5 }) },
      value: { amount: dice.number.int({ min: 9, max: 199 }), currency: 'EUR' },
    })),
  );
}

const liveMs = 4 * 60_000;

/** Page views of the last minutes, mostly by contacts, for the live page. Each run has its own. */
export function demoLiveVisits(people: number, until: Date) {
  const dice = new Faker({ locale: [en, base], seed: until.getTime() });
  return Array.from({ length: 60 }, (_, index) => {
    const visitor = index % 20;
    const path = dice.helpers.arrayElement(pages);
    return {
      event: '$pageview',
      message_id: `demo-live-${until.getTime()}-${index}`,
      visitor_id: `demo-live-visitor-${visitor}`,
      ...(visitor < 15 && { external_id: `demo-${visitor % people}` }),
      timestamp: new Date(until.getTime() - dice.number.int({ min: 0, max: liveMs })).toISOString(),
      // They start no workflow.
      backfill: true,
      context: {
        user_agent: agents[visitor % (agents.length - 1)],
        country: countries[visitor % countries.length],
        page: { url: site + path, title: titles.get(path), referrer: referrers[visitor % referrers.length] ?? null },
      },
    };
  });
}
