import type { EventTracked } from '@mp/contracts/events/leadpulse';
import type { z } from 'zod';

type Activity = z.output<typeof EventTracked.data>;

/** As much as a trigger by API may give. */
const mostBytes = 16 * 1024;

/** What a run keeps of the event that began it: properties as they come, as far as there is room. */
export function eventData({ event: name, time, properties, value }: Activity): Record<string, unknown> {
  let room = mostBytes - bytesOf({ name, time, properties: {}, value });
  const kept = Object.entries(properties).filter(([property, content]) => {
    const bytes = bytesOf({ [property]: content });
    if (bytes > room) return false;
    room -= bytes;
    return true;
  });
  return { name, time, properties: Object.fromEntries(kept), value };
}

const bytesOf = (data: unknown) => Buffer.byteLength(JSON.stringify(data));
