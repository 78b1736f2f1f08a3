import type { EventEnvelope } from '@mp/contracts/event';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { type EventHandler, onAll } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import type { Cause } from '../memberships/cause.ts';
import type { NamesStore } from '../names/names-store.ts';
import type { DefinitionIndex } from '../segments/definition-index.ts';
import type { ApplyActivity } from './apply-activity.ts';

/** Applies the events of visitors with a contact, and learns the names of all. An event that is published more than once counts once. */
export function onEventTracked({ applyActivities, names }: Pick<ApplyActivity, 'applyActivities'> & { names: NamesStore }): EventHandler[] {
  type Tracked = EventEnvelope<z.output<typeof EventTracked.data>>;
  const applyAs = (cause: Cause) => async (tx: Transaction, events: readonly Tracked[]) => {
    for (const [accountId, own] of Map.groupBy(events, ({ account_id }) => account_id)) {
      await names.learn(tx, accountId, 'event', [...new Set(own.map(({ data }) => data.event))]);
      const done = own.flatMap(({ data: { event_id, event, contact_id, time, properties, value, bot } }) => {
        if (contact_id === null) return [];
        const activity = { id: event_id, name: event, time: new Date(time), properties, value, machine: bot };
        return [{ contactId: contact_id, activity, touchedIn: (index: DefinitionIndex) => index.touchedByEvent(event) }];
      });
      await applyActivities(tx, accountId, cause, done);
    }
  };
  return [
    onAll(EventTracked, applyAs('activity')),
    onAll(EventAttributed, applyAs('activity')),
    onAll(EventBackfilled, applyAs('backfill')),
  ];
}
