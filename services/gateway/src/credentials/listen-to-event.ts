import { EventEnvelope, type EventType } from '@mp/contracts/event';
import type { z } from 'zod';

/** A handler for an event that every gateway receives. Anything that is not this event is ignored. */
export const eventHandler =
  <Data extends z.ZodType>(event: EventType<Data>, react: (data: z.output<Data>) => void) =>
  (payload: unknown) => {
    const envelope = EventEnvelope.safeParse(payload);
    const data = envelope.success ? event.data.safeParse(envelope.data.data) : undefined;
    if (data?.success) react(data.data);
  };
