import assert from 'node:assert/strict';
import { eventually } from '@mp/test-kit/eventually';
import type { Client } from '../../tests/client.ts';

const dayMs = 86_400_000;
/** When each group of customers ordered, and where it lives. Only the first is in Berlin and bought twice in 90 days. */
const groups = [
  { size: 12, city: 'Berlin', daysAgo: [20, 40] },
  { size: 6, city: 'Berlin', daysAgo: [20] },
  { size: 6, city: 'Hamburg', daysAgo: [20, 40] },
  { size: 6, city: 'Berlin', daysAgo: [20, 120] },
];

/** Everybody in Berlin who bought twice in the last 90 days, in the order of their numbers. */
export const buyersInBerlin = Array.from({ length: 12 }, (_, index) => `customer.${index}@example.com`);

/** A shop's customers with their orders: those in Berlin who bought twice lately, and others who miss one of the conditions. */
export async function addCustomers(client: Client) {
  const customers = groups
    .flatMap(({ size, ...group }) => Array.from({ length: size }, () => group))
    .map((group, index) => ({ index, ...group }));
  const contacts = customers.map(({ index, city }) => ({
    ...{ email: `customer.${index}@example.com`, external_id: `crm-${index}`, first_name: 'Noor', address: { city } },
    consent: { email: { status: 'subscribed' } },
  }));
  assert.equal((await client.post('/v2/contacts/batch', { match_on: 'email', contacts })).status, 200);
  const events = customers.flatMap(({ index, daysAgo }) =>
    daysAgo.map((days) => ({
      ...{ event: 'order_placed', external_id: `crm-${index}`, backfill: true, message_id: `${index}-${days}` },
      ...{ timestamp: new Date(Date.now() - days * dayMs).toISOString(), value: { amount: 40, currency: 'EUR' } },
    })),
  );
  const { status, text } = await client.post('/v2/leadpulse/track', { events });
  assert.ok(status < 300, text);
  const bought = { event: 'order_placed', count: { gte: 1 } };
  await eventually(async () => (await client.post('/v2/segments/preview', { definition: bought })).data.count === customers.length);
}

/** Orders that customers place now. */
export async function order(client: Client, emails: readonly string[], amount: number) {
  const events = emails.map((email) => ({ event: 'order_placed', email, value: { amount, currency: 'EUR' } }));
  const { status, text } = await client.post('/v2/leadpulse/track', { events });
  assert.ok(status < 300, text);
}
