import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import { Campaign } from './campaign.ts';
import type { CampaignsStore } from './campaigns-store.ts';
import { requireSendPermission } from './require-send-permission.ts';

type Deps = { campaigns: CampaignsStore; recipients: RecipientsStore; transact: Transact; wake: () => void };

const Body = z.strictObject({
  action: z.enum(['resend', 'leave']).describe('`resend` queues the emails again; `leave` keeps them as they are.'),
});
const Resolved = z.object({
  resolved: z.number().int().describe('The number of resolved emails.'),
  remaining: z.boolean().describe('Whether there are more to resolve.'),
  campaign: Campaign,
});

export function resolveUnknown(app: Server, { campaigns, recipients, transact, wake }: Deps) {
  app.post(
    '/v2/campaigns/:id/resolve-unknown',
    {
      config: { scope: 'campaigns:send' },
      schema: {
        operationId: 'resolveUnknownMessages',
        summary: 'Resolve emails in state unknown',
        description:
          'A recipient is `unknown` if the connection or the worker was lost during sending: the email may have been delivered. ' +
          '`resend` queues these emails again, at the risk of a second copy with the same Message-ID; `leave` keeps them as they are. ' +
          'Resolves up to 500 recipients per request; `remaining` says whether there are more.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: Body,
        response: { 200: success(Resolved) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { id } = request.params;
        const { action } = request.body;
        const before = await campaigns.get(accountId, id, tx);
        if (action === 'resend') requireSendPermission(request.principal, before);
        const resolved = await recipients.resolveUnknown(tx, accountId, { campaignId: id, action, now: new Date() });
        // A paused campaign is written too, so that it cannot finish concurrently without these rows.
        const name = before.status === 'paused' ? 'requeue' : 'reopen';
        const requeues = action === 'resend' && resolved > 0;
        const campaign = requeues
          ? await campaigns.transition(tx, accountId, { id, name, action: 'sent again', change: { completed_at: null } })
          : before;
        tx.afterCommit(wake);
        return { status: 200, data: { resolved, remaining: resolved === 500, campaign } };
      }),
  );
}
