import { EventTracked } from '@mp/contracts/events/leadpulse';
import { whereHolds } from '@mp/rules/where';
import { on } from '@mp/service-kit/consume';
import { type TriggerDeps, triggerByEvent } from './trigger-event.ts';

/** What a known contact did begins the workflows that wait for it; bots begin nothing. */
export const onEventTracked = (deps: TriggerDeps) =>
  on(EventTracked, async (tx, event) => {
    const { contact_id, event: name, properties, bot } = event.data;
    if (contact_id === null || bot) return;
    await triggerByEvent(tx, deps, {
      event,
      contactId: contact_id,
      revision: 0,
      trigger: { type: 'event', name },
      fits: (trigger) => trigger.type === 'event' && whereHolds(trigger.where ?? {})(properties),
    });
  });
