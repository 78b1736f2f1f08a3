import { EventEnvelope, type EventType } from '@mp/contracts/event';
import type { z } from 'zod';

/** Reads an event that every gateway hears at once; what is not one is nobody's and is let go. */
export const hears =
  <Data extends z.ZodType>(event: EventType<Data>, react: (data: z.output<Data>) => void) =>
  (payload: unknown) => {
    const envelope = EventEnvelope.safeParse(payload);
    const data = envelope.success ? event.data.safeParse(envelope.data.data) : undefined;
    if (data?.success) react(data.data);
  };
