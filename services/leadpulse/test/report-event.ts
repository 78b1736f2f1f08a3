import { trustedId } from '@mp/ids';
import fc from 'fast-check';
import type { ReportEvent } from '../src/events/report-events.ts';

export const reportStart = Date.UTC(2026, 2, 27);
const minuteMs = 60_000;

/** An event as reports read it. */
export const reportEvent = (person: string, minute: number, name: string, more: Partial<ReportEvent> = {}): ReportEvent => ({
  person,
  visitor: trustedId<'visitor'>(person),
  name,
  time: new Date(reportStart + minute * minuteMs),
  message_id: `${minute}`,
  bot: false,
  utm: null,
  country: null,
  device: null,
  browser: null,
  os: null,
  value: null,
  properties: {},
  path: name === '$pageview' ? '/' : null,
  ...more,
});

/** Events of a few people within five days, over a change to daylight saving time in Europe, in the order in which reports read them. */
export const reportEvents = fc
  .array(
    fc.record({
      person: fc.constantFrom('a', 'b', 'c'),
      minute: fc.oneof(fc.integer({ min: 0, max: 240 }), fc.integer({ min: 0, max: 5 * 1_440 })),
      name: fc.constantFrom('$pageview', '$pageview', 'signup', 'purchase', '$identify'),
      path: fc.constantFrom('/', '/pricing', '/docs/a', '/docs/b'),
      country: fc.constantFrom('DE', 'FR', null),
      plan: fc.constantFrom('pro', 'free'),
    }),
    { maxLength: 60 },
  )
  .map((drawn) =>
    drawn
      .map(({ person, minute, name, path, country, plan }, index) =>
        reportEvent(person, minute, name, {
          path: name === '$pageview' ? path : null,
          country,
          properties: { plan },
          message_id: `m${String(index).padStart(3, '0')}`,
        }),
      )
      .sort(
        (a, b) =>
          (a.person < b.person ? -1 : a.person > b.person ? 1 : 0) ||
          a.time.getTime() - b.time.getTime() ||
          (a.message_id < b.message_id ? -1 : 1),
      ),
  );
