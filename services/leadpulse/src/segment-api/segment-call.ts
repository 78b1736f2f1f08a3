import { z } from 'zod';
import { callTypes } from './event-of-call.ts';

/** A call to the Segment-compatible API, for debugging. It has names and reasons, but no traits, properties, user IDs or keys. */
export const SegmentCall = z
  .object({
    id: z.string().describe('The ID of the call.'),
    received_at: z.iso.datetime().describe('When the call was received.'),
    type: z.enum([...callTypes, 'batch', 'unknown']).describe('The type of the call; `batch` is a request that was rejected as a whole.'),
    event: z.string().nullable().describe('The name of the event of a `track` call.'),
    message_id: z.string().nullable().describe('The message ID of the call.'),
    source: z
      .object({ type: z.enum(['site', 'api_key']), id: z.string() })
      .describe('The site or the API key that the call was sent with.'),
    library: z.string().nullable().describe('The library that sent the call, with its version.'),
    status: z
      .enum(['accepted', 'duplicate', 'dropped'])
      .describe('What became of the call: its event is stored, had been stored before, or was not taken.'),
    code: z.string().nullable().describe('Why a dropped call was not taken, as a code.'),
    reason: z.string().nullable().describe('Why a dropped call was not taken, in words.'),
    notes: z.array(z.string()).describe('What of an accepted call was not taken, such as traits without a contact field.'),
    event_id: z.string().nullable().describe('The ID of the event; null for a dropped call.'),
  })
  .meta({ id: 'SegmentCall' });
export type SegmentCall = z.output<typeof SegmentCall>;
