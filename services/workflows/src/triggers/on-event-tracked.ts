import type { EventEnvelope } from '@mp/contracts/event';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { eventWhereHolds } from '@mp/rules/where';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import type { OccurToContact } from '../occurrences/occur-to-contact.ts';
import { attributedHours, triggerKey } from '../workflows/trigger.ts';
import { eventData } from './event-data.ts';
import { type TriggerDeps, triggerByEvent } from './trigger-event.ts';

type Deps = TriggerDeps & { occurToContact: OccurToContact };

/**
 * An event of a known contact applies to its runs and then starts the workflows that it triggers, even when the contact is identified
 * only later. Bots start nothing. Both events report the same activity, which starts a workflow once.
 */
function happens(deps: Deps) {
  return async (tx: Transaction, event: EventEnvelope<z.output<typeof EventTracked.data>>) => {
    const { event_id, contact_id, event: name, time, bot, properties, value } = event.data;
    if (contact_id === null || bot) return;
    const accountId = event.account_id;
    const occurred = { type: 'event', name, properties, value } as const;
    await deps.occurToContact(tx, { id: event_id, eventId: event.id, accountId, contactId: contact_id, at: new Date(time), occurred });
    await triggerByEvent(tx, deps, {
      event,
      contactId: contact_id,
      at: new Date(time),
      key: event_id,
      after: [event.id],
      data: eventData(event.data),
      trigger: { type: 'event', name },
      fits: (trigger) => trigger.type === 'event' && eventWhereHolds(trigger.where ?? {})(event.data),
    });
  };
}

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
  ...on(EventTracked, happens(deps)),
  isRelevant: isRelevantTo(deps),
});
export const onEventAttributed = (deps: Deps): EventHandler => ({
  ...on(EventAttributed, async (tx, event) => {
    if (Date.parse(event.time) - Date.parse(event.data.time) <= latestMs) await happens(deps)(tx, event);
  }),
  isRelevant: isRelevantTo(deps),
});
