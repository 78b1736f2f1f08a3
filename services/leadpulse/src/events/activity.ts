import type { EventTracked } from '@mp/contracts/events/leadpulse';
import type { z } from 'zod';
import type { Event } from './event.ts';

/** The published form of an event: flat properties, which include its context. */
export function activityOf(event: Event): z.input<typeof EventTracked.data> {
  const context = {
    ...prefixed('page', event.page),
    ...prefixed('utm', event.utm),
    ...prefixed('device', { type: event.device, browser: event.browser, os: event.os }),
    ...prefixed('context', { country: event.country, locale: event.context.locale }),
  };
  return {
    event_id: event.id,
    event: event.name,
    visitor_id: event.visitor_id,
    contact_id: event.contact_id,
    time: event.time.toISOString(),
    properties: { ...context, ...event.properties },
    value: event.value && { amount: event.value.units / 10_000, currency: event.value.currency },
    bot: event.bot,
  };
}

const prefixed = (prefix: string, members: Record<string, string | null> | null) =>
  Object.fromEntries(Object.entries(members ?? {}).flatMap(([name, value]) => (value === null ? [] : [[`${prefix}.${name}`, value]])));
