import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { campaignId, contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import type { CampaignsStore } from '../../campaigns/campaigns-store.ts';
import type { EngagementsStore } from '../engagements/engagements-store.ts';
import { explain } from './reason-texts.ts';
import { Recipient } from './recipient.ts';
import { type RecipientsStore, recipientOf } from './recipients-store.ts';

type Deps = {
  campaigns: CampaignsStore;
  recipients: RecipientsStore;
  engagements: EngagementsStore;
  findMailable: FindMailable;
};

const Engagement = z
  .object({
    kind: z.enum(['opened', 'clicked', 'unsubscribed']).describe('What the recipient did.'),
    at: z.iso.datetime().describe('When it happened.'),
    url: z.string().nullable().describe('The target of the clicked link.'),
    machine: z.string().nullable().describe('Why it counts as automated; null if it counts as done by a person.'),
  })
  .meta({ id: 'Engagement' });

const Story = z
  .object({
    campaign_id: campaignId.describe('The ID of the campaign.'),
    contact_id: contactId.describe('The ID of the contact.'),
    explanation: z.string().describe('Why the contact was emailed, or why not.'),
    recipient: Recipient.nullable().describe('The ledger row; null if the contact is not in the frozen audience.'),
    engagements: z.array(Engagement).describe('The latest 100 opens, clicks and unsubscriptions.'),
  })
  .meta({ id: 'MessageStory' });

export function getMessage(app: Server, { campaigns, recipients, engagements, findMailable }: Deps) {
  app.get(
    '/v2/campaigns/:id/messages/:contact_id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaignMessage',
        summary: "Get a contact's email in a campaign",
        params: z.object({
          id: campaignId.describe('The ID of the campaign.'),
          contact_id: contactId.describe('The ID of the contact.'),
        }),
        response: { 200: success(Story) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { contact_id } = request.params;
      const campaign = await campaigns.get(accountId, request.params.id);
      const row = await recipients.findOfContact(accountId, campaign.id, contact_id);
      if (!row) {
        const verdict = (await findMailable(accountId, [contact_id], { keep: false })).get(contact_id);
        if (!verdict?.contact) throw notFound();
        const explanation =
          campaign.frozen_at === null
            ? `The campaign's status is ${campaign.status}; its audience is not frozen yet.`
            : `The contact is not in the audience as of ${campaign.frozen_at}${campaign.status === 'freezing' ? ' so far' : ''}.`;
        return { success: true as const, data: { campaign_id: campaign.id, contact_id, explanation, recipient: null, engagements: [] } };
      }
      const seen = await engagements.ofRecipient(accountId, row._id);
      const recipient = recipientOf(row);
      return {
        success: true as const,
        data: {
          campaign_id: campaign.id,
          contact_id,
          explanation: explain(recipient),
          recipient,
          engagements: seen.map(({ kind, at, url, machine }) => ({ kind, at: at.toISOString(), url, machine })),
        },
      };
    },
  );
}
