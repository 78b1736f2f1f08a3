import { z } from 'zod';

/** What every event carries around its data. */
export const EventEnvelope = z.object({
  id: z.string(),
  type: z.string().describe('the subject without its version'),
  version: z.number().int(),
  time: z.iso.datetime(),
  account_id: z.string(),
  correlation_id: z.string().describe('the request or timer that began the chain'),
  causation_id: z.string().nullable().describe('the event that directly caused this one'),
  producer: z.string(),
  traceparent: z.string().optional().describe('W3C Trace Context of what wrote the event, where traces are recorded'),
  data: z.unknown(),
});
export type EventEnvelope<Data = unknown> = Omit<z.infer<typeof EventEnvelope>, 'data'> & { data: Data };

/** An event is a value: subject, version and schema together, owned by the service that publishes it. */
export type EventType<Data extends z.ZodType = z.ZodType> = {
  type: string;
  version: number;
  subject: string;
  meaning: string;
  data: Data;
  /** Of whom it says more than ids: ids of contacts, hashes of addresses. Who is erased, their events are found by it. */
  tellsOf?(data: z.output<Data>): readonly string[];
};

export const defineEvent = <Data extends z.ZodType>(
  type: string,
  version: number,
  meaning: string,
  data: Data,
  tellsOf?: EventType<Data>['tellsOf'],
): EventType<Data> => ({
  type,
  version,
  subject: `${type}.v${version}`,
  meaning,
  data,
  ...(tellsOf && { tellsOf }),
});
