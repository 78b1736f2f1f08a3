import type { EventEnvelope } from '@mp/contracts/event';
import type { EventHandler } from '@mp/service-kit/consume';
import { createEventGroups } from '@mp/service-kit/event-groups';
import type { Mongo } from '@mp/service-kit/mongo';

/** One group at a time makes the order in which groups take effect that of the events. */
const oneByOne = { maxEvents: 1, atOnce: 1 };

/** Also on a busy machine, a group has as many events as it may have. */
const anyMs = { live: 1_000_000_000, bulk: 1_000_000_000 };

/**
 * Applies events as a consumer with these handlers does, in groups within these limits; without limits, one by one and in order.
 * Waits until each has taken effect, and throws the error of one that has not.
 */
export async function applyEvents(
  mongo: Mongo,
  handlers: readonly EventHandler[],
  events: readonly EventEnvelope[],
  limits: Parameters<typeof createEventGroups>[1] = oneByOne,
) {
  const groups = createEventGroups({ mongo, name: 'test' }, { ...limits, groupMs: anyMs });
  const alone = createEventGroups({ mongo, name: 'test' }, { ...limits, maxEvents: 1 });
  const handlerOf = new Map(handlers.map((handler) => [handler.event.type, handler]));
  const apply = async (event: EventEnvelope) => {
    const handler = handlerOf.get(event.type);
    if (!handler) throw new Error(`No handler takes ${event.type}.`);
    if ((await handler.isRelevant?.(event)) === false) return;
    await (handler.reactAll ? groups : alone).apply(event, handler, JSON.stringify(event).length);
  };
  if (limits.maxEvents > 1) await Promise.all(events.map(apply));
  else for (const event of events) await apply(event);
}

/** Applies events of different contacts in one transaction: a group without the consumer around it. */
export const applyTogether = (mongo: Mongo, handler: EventHandler, events: readonly EventEnvelope[]) => {
  const origin = { correlationId: 'req_12345678', causationId: null };
  return mongo.transaction({ ...origin, causedBy: () => origin }, async (tx) => handler.reactAll?.(tx, events));
};
