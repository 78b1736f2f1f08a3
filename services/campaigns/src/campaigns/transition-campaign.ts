import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { CampaignApprovals } from './approval/campaign-approvals.ts';
import { Campaign } from './campaign.ts';
import type { CampaignsStore } from './campaigns-store.ts';
import { requireSendPermission } from './require-send-permission.ts';
import { contentOfDraft } from './with-template.ts';

type Deps = {
  campaigns: CampaignsStore;
  templates: TemplatesStore;
  campaignApprovals: CampaignApprovals;
  transact: Transact;
  wake: () => void;
};

const steps = {
  pause: {
    action: 'paused',
    summary: 'Pause a campaign',
    description: 'Stops sending within one second; in-flight emails complete.',
  },
  resume: { action: 'resumed', summary: 'Resume a paused campaign', description: 'Resumes with the emails that have not been sent yet.' },
  unschedule: {
    action: 'unscheduled',
    summary: 'Unschedule a campaign',
    description:
      'Makes a campaign that is scheduled or awaits approval a draft again. If it uses a template, the template is read again when it is sent; if the template was deleted, the draft keeps the content and `template_id` becomes null.',
  },
  cancel: {
    action: 'cancelled',
    summary: 'Cancel a campaign',
    description: 'Every email that has not been sent becomes `skipped` with the reason `cancelled`. This cannot be undone.',
  },
} as const;

/** `POST …/pause`, `…/resume`, `…/unschedule` and `…/cancel`: one transition each. */
export function transitionCampaign(
  app: Server,
  name: keyof typeof steps,
  { campaigns, templates, campaignApprovals, transact, wake }: Deps,
) {
  const { action, summary, description } = steps[name];
  app.post(
    `/v2/campaigns/:id/${name}`,
    {
      config: { scope: 'campaigns:send', ifMatch: true },
      schema: {
        operationId: `${name}Campaign`,
        summary,
        description,
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: z.strictObject({}),
        response: { 200: success(Campaign) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await campaigns.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        if (name === 'resume') requireSendPermission(request.principal, before);
        if (name === 'unschedule' && before.status === 'awaiting_approval') {
          const draft = await campaignApprovals.backToDraft(tx, request.principal, before, { status: 'withdrawn', action });
          return { status: 200, data: draft, etag: etagOf(draft) };
        }
        const change =
          name === 'cancel'
            ? { completed_at: new Date() }
            : name === 'unschedule'
              ? { schedule_at: null, ...(await contentOfDraft(templates, tx, accountId, before)) }
              : {};
        const campaign = await campaigns.transition(tx, accountId, { id: request.params.id, name, action, change });
        tx.afterCommit(wake);
        return { status: 200, data: campaign, etag: etagOf(campaign) };
      }),
  );
}
