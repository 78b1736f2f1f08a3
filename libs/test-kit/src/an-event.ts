import type { EventEnvelope, EventType } from '@mp/contracts/event';
import { type AccountId, newId } from '@mp/ids';
import type { z } from 'zod';

/** An event as its owning service publishes it, each caused by a request of its own. */
export const anEvent = <Data extends z.ZodType>(
  event: EventType<Data>,
  accountId: AccountId,
  data: z.input<Data>,
): EventEnvelope<z.output<Data>> => ({
  id: newId('event'),
  type: event.type,
  version: event.version,
  time: new Date().toISOString(),
  account_id: accountId,
  correlation_id: newId('request'),
  causation_id: null,
  producer: 'test',
  data: event.data.parse(data),
});
