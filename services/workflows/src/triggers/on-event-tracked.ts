import type { EventEnvelope } from '@mp/contracts/event';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { eventWhereHolds } from '@mp/rules/where';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import { attributedHours } from '../workflows/definition.ts';
import { eventData } from './event-data.ts';
import { type TriggerDeps, triggerByEvent } from './trigger-event.ts';

/**
 * What a known contact did begins the workflows that wait for it, also when only later it is found out whose it was; bots
 * begin nothing. Both events are of the same activity, which begins a workflow once.
 */
function begins(deps: TriggerDeps) {
  return async (tx: Transaction, event: EventEnvelope<z.output<typeof EventTracked.data>>) => {
    const { event_id, contact_id, event: name, time, bot } = event.data;
    if (contact_id === null || bot) return;
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
 * A visitor that is recognised may have a history of a year. What it did longer ago than this begins nothing: a mail that
 * follows it would come out of nowhere, and all of it at once.
 */
const latestMs = attributedHours * 60 * 60 * 1_000;

export const onEventTracked = (deps: TriggerDeps) => on(EventTracked, begins(deps));
export const onEventAttributed = (deps: TriggerDeps) =>
  on(EventAttributed, async (tx, event) => {
    if (Date.parse(event.time) - Date.parse(event.data.time) <= latestMs) await begins(deps)(tx, event);
  });
