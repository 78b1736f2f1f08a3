import type { EventEnvelope } from '@mp/contracts/event';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import type { ApplyActivity } from './apply-activity.ts';

/** Applies the events of visitors with a contact. A tracked event that is attributed later counts once. */
export function onEventTracked({ applyActivity }: Pick<ApplyActivity, 'applyActivity'>): EventHandler[] {
  async function apply(tx: Transaction, { account_id, data }: EventEnvelope<z.output<typeof EventTracked.data>>) {
    const { event_id, event, contact_id, time, properties, value, bot } = data;
    if (contact_id === null) return;
    const activity = { id: event_id, name: event, time: new Date(time), properties, value, machine: bot };
    await applyActivity(tx, account_id, contact_id, activity, (index) => index.touchedByEvent(event));
  }
  return [on(EventTracked, apply), on(EventAttributed, apply)];
}
