import { z } from 'zod';
import { accountId } from './ids.ts';

/** The fields that every event carries around its data. */
export const EventEnvelope = z.object({
  id: z.string(),
  type: z.string().describe('The subject without its version.'),
  version: z.number().int(),
  time: z.iso.datetime(),
  account_id: accountId,
  correlation_id: z.string().describe('The request or timer that started the chain of events.'),
  causation_id: z.string().nullable().describe('The event that directly caused this one.'),
  producer: z.string(),
  traceparent: z.string().optional().describe('W3C Trace Context of the operation that wrote the event, when traces are recorded.'),
  starts_workflows: z
    .literal(false)
    .optional()
    .describe('False if it, and what it causes, must start no run of a workflow; missing otherwise.'),
  lane: z
    .literal('bulk')
    .optional()
    .describe('Bulk if an event of the bulk lane caused it, and its own type has no bulk lane; missing otherwise.'),
  data: z.unknown(),
});
export type EventEnvelope<Data = unknown> = Omit<z.infer<typeof EventEnvelope>, 'data'> & { data: Data };

/** An event type: its subject, version and schema, owned by the service that publishes it. */
export type EventType<Data extends z.ZodType = z.ZodType> = {
  type: string;
  version: number;
  subject: string;
  meaning: string;
  data: Data;
  /** The contact ids and address hashes whose personal data the event carries. Used to find the events of an erased contact. */
  subjectsOf?(data: z.output<Data>): readonly string[];
};

export const defineEvent = <Data extends z.ZodType>(event: Omit<EventType<Data>, 'subject'>): EventType<Data> => ({
  ...event,
  subject: `${event.type}.v${event.version}`,
});
