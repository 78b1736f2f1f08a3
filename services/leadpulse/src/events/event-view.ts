import { z } from 'zod';
import type { Event } from './event.ts';
import { amountsOf, Money } from './money.ts';

const maybe = z.string().nullable();

export const EventView = z
  .object({
    id: z.string().describe('The ID of the event.'),
    event: z.string().describe('The name of the event.'),
    timestamp: z.iso.datetime().describe('When the event happened.'),
    received_at: z.iso.datetime().describe('When the event was received.'),
    contact_id: maybe.describe('The contact of the event.'),
    bot: z.boolean().describe('Whether the event came from a bot.'),
    backfill: z.boolean().describe('Whether it was sent as a past event.'),
    properties: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe('The properties of the event, with dotted paths.'),
    page: z
      .object({
        url: maybe.describe('The URL of the page.'),
        path: maybe.describe('The path of the page.'),
        title: maybe.describe('The title of the page.'),
        referrer: maybe.describe('The URL of the referring page.'),
      })
      .nullable()
      .describe('The page on which the event happened.'),
    value: Money.nullable().describe('The monetary value of the event.'),
  })
  .meta({ id: 'TrackedEvent' });

export function eventView(event: Event): z.input<typeof EventView> {
  const { id, name, time, received_at, contact_id, bot, backfill, properties, page, value } = event;
  const [amount] = value ? amountsOf({ [value.currency]: value.units }) : [];
  return {
    ...{ id, event: name, contact_id, bot, backfill, properties, page },
    timestamp: time.toISOString(),
    received_at: received_at.toISOString(),
    value: amount ?? null,
  };
}
