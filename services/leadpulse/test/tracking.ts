import assert from 'node:assert/strict';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Client } from '@mp/test-kit/client';
import { countEvents, testCounting } from './counting.ts';

/** Tracks events in one request and counts them. */
export async function trackAndCount(parts: Parts, account: Client, events: readonly object[]) {
  const response = await account.post('/v2/leadpulse/track', { events });
  assert.equal(response.data?.accepted, events.length, response.text);
  const counting = testCounting(parts);
  while ((await countEvents(counting, account.accountId)) > 0);
}

/** A page view of a visitor. */
export const view = (visitor: string, timestamp: string, path = '/', more: object = {}) => ({
  event: '$pageview',
  visitor_id: visitor,
  timestamp,
  context: { page: { url: `https://example.com${path}` }, ...more },
});
