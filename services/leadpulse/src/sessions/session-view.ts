import { z } from 'zod';
import { amountsOf, Money } from '../events/money.ts';
import { durationMs, isBounce, type StoredSession } from './session.ts';

const maybe = z.string().nullable();

/** A session as the API returns it. */
export const SessionView = z
  .object({
    id: z.string().describe('The ID of the session.'),
    started_at: z.iso.datetime().describe('The time of the first event.'),
    ended_at: z.iso.datetime().describe('The time of the last event.'),
    duration_seconds: z.number().describe('The time between the first and last event, in seconds.'),
    events: z.number().int().describe('The number of events.'),
    pageviews: z.number().int().describe('The number of page views.'),
    bounced: z.boolean().describe('Whether it has at most one page view and no custom event.'),
    bot: z.boolean().describe('Whether its events came from a bot.'),
    entry_page: maybe.describe('The path of the first page.'),
    exit_page: maybe.describe('The path of the last page.'),
    channel: z.string().describe('The channel, such as `organic_search`.'),
    source: z.string().describe('The source, such as a host or `direct`.'),
    referrer: maybe.describe('The host of the referring page.'),
    utm_source: maybe.describe('The `utm_source` of the link.'),
    utm_medium: maybe.describe('The `utm_medium` of the link.'),
    utm_campaign: maybe.describe('The `utm_campaign` of the link.'),
    device: maybe.describe('The device type.'),
    browser: maybe.describe('The browser.'),
    os: maybe.describe('The operating system.'),
    country: maybe.describe('The country.'),
    value: z.array(Money).describe('The total value of its events, by currency.'),
  })
  .meta({ id: 'Session' });

export function sessionView(session: StoredSession): z.input<typeof SessionView> {
  const { id, first, last, events, pageviews, bot, entry, exit, touch, device, browser, os, country } = session;
  return {
    ...{ id, events, pageviews, bot, device, browser, os, country, ...touch },
    started_at: first.at.toISOString(),
    ended_at: last.at.toISOString(),
    duration_seconds: durationMs(session) / 1_000,
    bounced: isBounce(session),
    entry_page: entry?.path ?? null,
    exit_page: exit?.path ?? null,
    value: amountsOf(session.values),
  };
}
