import { z } from 'zod';
import { contactCreated, contactUpdated } from './contact-events.ts';
import { examplePayload } from './webhook-event.ts';

/** What a webhook with `batch` receives as the body of a request. */
export const WebhookBatch = z.object({
  id: z.string().describe('`batch_` and an opaque suffix; also in the header `webhook-id`. The same in every attempt.'),
  type: z.literal('batch'),
  timestamp: z.iso.datetime().describe('When its first event was queued.'),
  account_id: z.string(),
  events: z.array(z.record(z.string(), z.unknown())).describe('The payloads of the events, each as a webhook without `batch` receives it.'),
});

export function exampleBatch(): z.output<typeof WebhookBatch> {
  const events = [contactCreated, contactUpdated].map(examplePayload);
  const [first] = events;
  if (!first) throw new Error('An example of a batch needs events.');
  const { timestamp, account_id } = first;
  return { id: 'batch_01kjn2v0a7e8ws3q4m5x6y7z8a', type: 'batch', timestamp, account_id, events: events.map((event) => ({ ...event })) };
}
