import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { variantField, variantOf } from '../ab-tests/variant-field.ts';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import type { WithTemplate } from '../campaigns/with-template.ts';
import { MessageContent } from '../content/message-content.ts';
import { type SendTests, Tests, testFields, testsAccepted, testsText } from './send-tests.ts';

type Deps = { campaigns: CampaignsStore; withTemplate: WithTemplate; sendTests: SendTests; transact: Transact };

export function testCampaign(app: Server, { campaigns, withTemplate, sendTests, transact }: Deps) {
  app.post(
    '/v2/campaigns/:id/test',
    {
      config: { scope: 'campaigns:send' },
      schema: {
        operationId: 'testCampaign',
        summary: 'Send a test of a campaign',
        description: `Sends the email to these addresses, ${testsText}`,
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: z.strictObject({ to: testFields.to, variant: variantField, contact_id: testFields.contact_id }),
        response: { 202: success(Tests) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { variant, ...test } = request.body;
      const read = async (tx?: Transaction) => {
        const campaign = await campaigns.get(accountId, request.params.id, tx);
        return variantOf(await withTemplate(accountId, campaign), variant);
      };
      return transact(
        request,
        reply,
        async (tx) => {
          const campaign = await read(tx);
          requireWithinLimits(request.principal, { topic: campaign.topic, sender: campaign.from.email });
          const content = MessageContent.parse(campaign);
          return testsAccepted(await sendTests.send(tx, accountId, { ...test, content, name: campaign.name }));
        },
        { before: async () => sendTests.require(accountId, MessageContent.parse(await read()), test) },
      );
    },
  );
}
