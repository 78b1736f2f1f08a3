import type { AccountId } from '@mp/ids';
import { isRejection, newEvent } from '../services/leadpulse/src/events/event.ts';
import type { NewEvent } from '../services/leadpulse/src/events/event-document.ts';

/** An event as a customer would send it, of one of 500 visitors. */
export const anEvent = (index: number, minutesAgo?: number) => ({
  event: index % 10 === 0 ? 'order_placed' : '$pageview',
  visitor_id: `v${index % 500}`,
  ...(minutesAgo !== undefined && { timestamp: new Date(Date.now() - minutesAgo * 60_000).toISOString() }),
  properties: { plan: 'pro', position: index % 7 },
  context: {
    page: { url: `https://example.com/p/${index % 50}`, referrer: 'https://www.google.com/' },
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ip: '203.0.113.7',
  },
});

/** Events as the service stores them, numbered from `first`; now, or as many minutes ago as their number. */
export function newEvents(accountId: AccountId, count: number, { first = 0, past = false } = {}): NewEvent[] {
  return Array.from({ length: count }, (_, place) => {
    const index = first + place;
    const event = newEvent(accountId, past ? anEvent(index, index) : anEvent(index), { now: new Date() });
    if (isRejection(event)) throw new Error(event.message);
    return { event };
  });
}
