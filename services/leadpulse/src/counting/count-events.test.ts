import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracked, LeadpulseSettingsChanged } from '@mp/contracts/events/leadpulse';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { countEvents, testCounting } from '../../test/counting.ts';
import { expectedOf, readCounted } from '../../test/recount.ts';
import { buildApp } from '../app.ts';

const start = Date.now() - 20 * 86_400_000;

/** A visitor's event at a minute within two days: close enough that sessions adjoin, merge and separate. */
const anyEvent = fc.record({
  visitor: fc.constantFrom('a', 'b'),
  minute: fc.oneof(fc.integer({ min: 0, max: 180 }), fc.integer({ min: 1_400, max: 1_500 })),
  name: fc.constantFrom('$pageview', 'signup', '$session_end'),
  path: fc.constantFrom('/', '/pricing', null),
  source: fc.constantFrom('google', 'newsletter', null),
  bot: fc.boolean(),
  amount: fc.constantFrom(null, 10.25, 3),
  currency: fc.constantFrom('EUR', 'USD'),
  repeat: fc.integer({ min: 1, max: 2 }),
});

type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const visit = { visitor: 'b', minute: 1_480, name: '$pageview', path: '/', amount: null, currency: 'EUR', repeat: 1 } as const;

/** A bot's session and a person's that end in the same millisecond. */
const endsTogether: AnyEvent[] = [
  { ...visit, visitor: 'a', source: 'google', bot: false },
  { ...visit, source: 'google', bot: true },
  { ...visit, source: null, bot: false },
  { ...visit, visitor: 'a', minute: 1_400, source: 'google', bot: false },
];

test('any order, duplication, batching and distribution of events among workers gives the result of one pass over the sorted events', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const counting = testCounting(parts);

  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 15 }),
      fc.nat(),
      fc.constantFrom(5, 30, 120),
      async (drawn, batch, seed, session_timeout_minutes) => {
        const account = testClient(app);
        await account.put('/v2/leadpulse/settings', { session_timeout_minutes });
        const bodies = drawn.flatMap(({ visitor, minute, name, path, source, bot, amount, currency, repeat }, index) =>
          Array<object>(repeat).fill({
            event: name,
            message_id: `m${index}`,
            visitor_id: visitor,
            timestamp: new Date(start + minute * 60_000).toISOString(),
            context: {
              page: path === null ? null : { url: `https://example.com${path}` },
              campaign: source === null ? null : { source },
              user_agent: bot ? 'Googlebot/2.1' : 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
            },
            value: amount === null ? null : { amount, currency },
          }),
        );
        const shuffled = bodies.map((body, index) => ({ body, key: (index * 7_919 + seed) % 1_009 })).sort((a, b) => a.key - b.key);
        const half = Math.ceil(shuffled.length / 2);
        for (const part of [shuffled.slice(0, half), shuffled.slice(half)]) {
          if (part.length === 0) continue;
          const response = await account.post('/v2/leadpulse/track', { events: part.map(({ body }) => body) });
          assert.equal(response.data.rejected, 0, response.text);
          const worker = async () => {
            while ((await countEvents(counting, account.accountId, batch)) > 0);
          };
          await Promise.all([worker(), worker()]);
        }
        const counted = await readCounted(parts.mongo.db, account.accountId);
        assert.equal(counted.events.length, drawn.length, 'each accepted event is stored once');
        assert.deepEqual(counted.found, expectedOf(counted.events, session_timeout_minutes * 60_000));
        const written = await writtenEvents(parts.mongo.db, { accountId: account.accountId });
        const published = written.filter(({ subject }) => subject !== LeadpulseSettingsChanged.subject);
        const tracked = published.filter(({ subject }) => subject === EventTracked.subject);
        assert.equal(new Set(tracked.map(({ envelope }) => envelope.data.event_id)).size, drawn.length);
        assert.equal(published.length, drawn.length, 'each event is published once');
      },
    ),
    { numRuns: 25, examples: [[endsTogether, 1, 0, 30]] },
  );
});

test('backfilled events are counted, and not published without a contact', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  await account.post('/v2/leadpulse/track', { event: '$pageview', visitor_id: 'v', backfill: true });
  assert.equal(await countEvents(testCounting(parts), account.accountId), 1);
  assert.equal((await account.get('/v2/leadpulse/analytics')).data.totals.events, 1);
  assert.deepEqual(await writtenEvents(parts.mongo.db, { accountId: account.accountId }), []);
});
