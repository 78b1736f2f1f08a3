import type { EventTracked } from '@mp/contracts/events/leadpulse';
import type { z } from 'zod';

type Activity = z.output<typeof EventTracked.data>;

/** The same limit as for data in a trigger request. */
const maxBytes = 16 * 1024;

/** The part of its event that a run stores: name, time, value and as many properties as fit, in their order. */
export function eventData({
  event: name,
  time,
  properties,
  value,
}: Pick<Activity, 'event' | 'time' | 'properties' | 'value'>): Record<string, unknown> {
  let room = maxBytes - bytesOf({ name, time, properties: {}, value });
  const kept = Object.entries(properties).filter(([property, content]) => {
    const bytes = bytesOf({ [property]: content });
    if (bytes > room) return false;
    room -= bytes;
    return true;
  });
  return { name, time, properties: Object.fromEntries(kept), value };
}

const bytesOf = (data: unknown) => Buffer.byteLength(JSON.stringify(data));
