import type { EventEnvelope } from '@mp/contracts/event';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import type { Cause } from '../memberships/cause.ts';
import type { NamesStore } from '../names/names-store.ts';
import type { ApplyActivity } from './apply-activity.ts';

/** Applies the events of visitors with a contact, and learns the names of all. An event that is published more than once counts once. */
export function onEventTracked({ applyActivity, names }: Pick<ApplyActivity, 'applyActivity'> & { names: NamesStore }): EventHandler[] {
  type Tracked = EventEnvelope<z.output<typeof EventTracked.data>>;
  const applyAs =
    (cause: Cause) =>
    async (tx: Transaction, { account_id, data }: Tracked) => {
      const { event_id, event, contact_id, time, properties, value, bot } = data;
      await names.learn(tx, account_id, 'event', [event]);
      if (contact_id === null) return;
      const activity = { id: event_id, name: event, time: new Date(time), properties, value, machine: bot };
      await applyActivity(tx, account_id, { contactId: contact_id, activity, cause, touchedIn: (index) => index.touchedByEvent(event) });
    };
  return [on(EventTracked, applyAs('activity')), on(EventAttributed, applyAs('activity')), on(EventBackfilled, applyAs('backfill'))];
}
