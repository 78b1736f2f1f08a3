import { MessageConverted } from '@mp/contracts/events/campaigns';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { contactId } from '@mp/contracts/ids';
import type { AccountId, ContactId } from '@mp/ids';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { z } from 'zod';
import type { Conversion } from '../../campaigns/campaign.ts';
import type { CampaignsStore } from '../../campaigns/campaigns-store.ts';
import type { EngagementsStore } from '../engagements/engagements-store.ts';
import { messageOf } from '../recipients/message-of.ts';
import { isPublished } from '../recipients/recipient-row.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import { type Candidate, type ConversionsStore, defaultConversion } from './conversions-store.ts';

type Deps = {
  campaigns: Pick<CampaignsStore, 'conversionOf'>;
  conversions: ConversionsStore;
  engagements: EngagementsStore;
  recipients: RecipientsStore;
  outbox: Pick<Outbox, 'add'>;
};

/** The longest attribution window. */
const maxWindowMs = 90 * 86_400_000;

const Relevant = z.object({ contact_id: contactId, bot: z.literal(false), time: z.iso.datetime() });

/** Whether the event counts as a conversion `since` a link was clicked, or the email was sent. */
export const isConversion = ({ event, window_days }: Conversion, candidate: Candidate, since: Date) =>
  (event === null ? candidate.value !== null : event === candidate.event) &&
  candidate.at.getTime() - since.getTime() <= window_days * 86_400_000;

/**
 * Attributes events of LeadPulse to the email whose link the contact clicked last before them, among those of which the event
 * is a conversion, and counts them for the contact's group in campaigns with a hold-out group. Events of other contacts cost two looks
 * into indexes.
 */
export function onEventTracked({ campaigns, conversions, engagements, recipients, outbox }: Deps): EventHandler[] {
  /** What counts as a conversion of the campaign, or of another source of emails. */
  const definitionOf = async (tx: Transaction, accountId: AccountId, sourceId: string): Promise<Conversion> =>
    (await campaigns.conversionOf(tx, accountId, sourceId)) ?? defaultConversion;

  async function attribute(tx: Transaction, accountId: AccountId, contactId: ContactId, candidate: Candidate) {
    for (const click of await engagements.clicksOfContact(accountId, contactId, windowOf(candidate.at), tx)) {
      const definition = await definitionOf(tx, accountId, click.source_id);
      if (!isConversion(definition, candidate, click.at)) continue;
      const row = await recipients.findById(accountId, click.recipient_id, tx);
      if (!row || !(await conversions.add(tx, row, candidate)) || !isPublished(row)) return;
      const { event, value, at } = candidate;
      await outbox.add(tx, MessageConverted, accountId, { ...messageOf(row, at), event, value });
      return;
    }
  }

  /** Whether or not a link was clicked: contacts that were held out cannot click. */
  async function compare(tx: Transaction, accountId: AccountId, contactId: ContactId, candidate: Candidate) {
    for (const { row, since } of await conversions.comparedOf(accountId, contactId, windowOf(candidate.at), tx)) {
      const definition = await definitionOf(tx, accountId, row.source_id);
      if (isConversion(definition, candidate, since)) await conversions.compare(tx, row, candidate);
    }
  }

  return [EventTracked, EventAttributed, EventBackfilled].map((type) => ({
    ...on(type, async (tx, { account_id, data: { contact_id, event_id, event, value, time, bot } }) => {
      if (contact_id === null || bot) return;
      const candidate = { id: event_id, event, value, at: new Date(time) };
      await attribute(tx, account_id, contact_id, candidate);
      await compare(tx, account_id, contact_id, candidate);
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

const windowOf = (at: Date) => ({ from: new Date(at.getTime() - maxWindowMs), to: at });
