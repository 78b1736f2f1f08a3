import type { EventEnvelope } from '@mp/contracts/event';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { eventWhereHolds } from '@mp/rules/where';
import { type EventHandler, onAll } from '@mp/service-kit/consume';
import type { z } from 'zod';
import type { ApplyContactEvents, Happening } from '../occurrences/apply-contact-events.ts';
import { eventData } from '../runs/event-data.ts';
import { attributedHours, triggerKey } from '../workflows/trigger.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';

type Deps = { workflows: Pick<WorkflowsStore, 'concerns'>; applyContactEvents: ApplyContactEvents };

type Tracked = EventEnvelope<z.output<typeof EventTracked.data>>;

/**
 * An event of a known contact applies to its runs and then starts the workflows that it triggers, even when the contact is identified
 * only later. Bots start nothing. Both events report the same activity, which starts a workflow once.
 */
const happened = (event: Tracked): Happening[] => {
  const { event_id, contact_id, event: name, time, bot, properties, value } = event.data;
  if (contact_id === null || bot) return [];
  return [
    {
      event,
      contactId: contact_id,
      at: new Date(time),
      key: event_id,
      after: [event.id],
      data: eventData(event.data),
      occurred: { type: 'event', name, properties, value },
      trigger: { type: 'event', name },
      fits: (trigger) => trigger.type === 'event' && eventWhereHolds(trigger.where ?? {})(event.data),
    },
  ];
};

/**
 * A visitor that is identified may have a history of a year. Older events start nothing: their emails would all be sent at
 * once, long after the cause.
 */
const latestMs = attributedHours * 60 * 60 * 1_000;

const Relevant = EventTracked.data.pick({ contact_id: true, event: true, bot: true });

/** Most events concern no workflow. They cost a read instead of a transaction, so that they delay those of other accounts little. */
const isRelevantTo =
  ({ workflows }: Deps) =>
  async ({ account_id, data }: EventEnvelope) => {
    const { contact_id, event: name, bot } = Relevant.parse(data);
    return contact_id !== null && !bot && (await workflows.concerns(account_id, triggerKey({ type: 'event', name })));
  };

export const onEventTracked = (deps: Deps): EventHandler => ({
  ...onAll(EventTracked, (tx, events) => deps.applyContactEvents(tx, events.flatMap(happened))),
  isRelevant: isRelevantTo(deps),
});
export const onEventAttributed = (deps: Deps): EventHandler => ({
  ...onAll(EventAttributed, async (tx, events) => {
    const recent = events.filter((event) => Date.parse(event.time) - Date.parse(event.data.time) <= latestMs);
    await deps.applyContactEvents(tx, recent.flatMap(happened));
  }),
  isRelevant: isRelevantTo(deps),
});
