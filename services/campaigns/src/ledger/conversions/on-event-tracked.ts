import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { contactId } from '@mp/contracts/ids';
import { type EventHandler, on } from '@mp/service-kit/consume';
import { z } from 'zod';
import { createAttributeConversion, windowOf } from './attribute-conversion.ts';

type Deps = Parameters<typeof createAttributeConversion>[0];

const Relevant = z.object({ contact_id: contactId, bot: z.literal(false), time: z.iso.datetime() });

/** Attributes events of LeadPulse to emails. Events of other contacts cost two looks into indexes. */
export function onEventTracked(deps: Deps): EventHandler[] {
  const { conversions, engagements } = deps;
  const attributeConversion = createAttributeConversion(deps);

  return [EventTracked, EventAttributed, EventBackfilled].map((type) => ({
    ...on(type, async (tx, { account_id, data: { contact_id, event_id, event, value, time, bot } }) => {
      if (contact_id === null || bot) return;
      const candidate = { id: event_id, event, value, at: new Date(time) };
      await attributeConversion(tx, account_id, contact_id, candidate);
    }),
    isRelevant: async ({ account_id, data }) => {
      const known = Relevant.safeParse(data);
      if (!known.success) return false;
      const { contact_id, time } = known.data;
      const window = windowOf(new Date(time));
      return (
        (await engagements.clicksOfContact(account_id, contact_id, window)).length > 0 ||
        (await conversions.comparedOf(account_id, contact_id, window)).length > 0
      );
    },
  }));
}
