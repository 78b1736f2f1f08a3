import { MessageConverted } from '@mp/contracts/events/campaigns';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
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

/** When an email to which an event at this time can belong was sent, or its link clicked. */
export const windowOf = (at: Date) => ({ from: new Date(at.getTime() - maxWindowMs), to: at });

/** Whether the event counts as a conversion `since` a link was clicked, or the email was sent. */
export const isConversion = ({ event, window_days }: Conversion, candidate: Candidate, since: Date) =>
  (event === null ? candidate.value !== null : event === candidate.event) &&
  candidate.at.getTime() - since.getTime() <= window_days * 86_400_000;

/**
 * Attributes an event to the email whose link the contact clicked last before it, among those of which the event is a conversion, and
 * counts it for the contact's group in campaigns with a hold-out group.
 */
export function createAttributeConversion({ campaigns, conversions, engagements, recipients, outbox }: Deps) {
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

  return async function attributeConversion(tx: Transaction, accountId: AccountId, contactId: ContactId, candidate: Candidate) {
    await attribute(tx, accountId, contactId, candidate);
    await compare(tx, accountId, contactId, candidate);
  };
}
