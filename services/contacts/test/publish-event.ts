import type { EventType } from '@mp/contracts/event';
import { type AccountId, newId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import type { z } from 'zod';

/** Publishes an event as its owning service would. The same `id` is a redelivery of the same event. */
export async function publishEvent<Data extends z.ZodType>(
  { broker }: Pick<Parts, 'broker'>,
  accountId: AccountId,
  { event, data, id = newId('event') }: { event: EventType<Data>; data: z.input<Data>; id?: string },
) {
  await broker.publish(
    event.subject,
    JSON.stringify({
      id,
      type: event.type,
      version: event.version,
      time: new Date().toISOString(),
      account_id: accountId,
      correlation_id: 'req_12345678',
      causation_id: null,
      producer: 'test',
      data,
    }),
  );
}
