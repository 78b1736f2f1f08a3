import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { campaignId } from '@mp/contracts/ids';
import { ApproveBody, RejectBody, requireSecondPerson, requireSeen } from '@mp/service-kit/approval';
import type { ApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Principal, Server } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { requirePerson } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { startsAt } from '../../audience/local-time.ts';
import { Campaign } from '../campaign.ts';
import { invalidState } from '../campaign-states.ts';
import { type CampaignsStore, sendingStarted } from '../campaigns-store.ts';
import { requireSendPermission } from '../require-send-permission.ts';
import type { CampaignApprovals } from './campaign-approvals.ts';

type Deps = {
  campaigns: CampaignsStore;
  approvals: ApprovalsStore;
  campaignApprovals: CampaignApprovals;
  transact: Transact;
  wake: () => void;
};

const person =
  'Only a user who is signed in can do this, and not the one who requested approval, directly or with an API key or OAuth client that they created. `revision` must be the one that you have seen, as in `GET …/approval`.';

const decisions = {
  approve: {
    action: 'approved',
    summary: 'Approve a campaign',
    description: `Sends a campaign that awaits approval, or schedules it if \`schedule_at\` is set. Fails with 409 if that time has passed: unschedule the campaign, and send it with another one. ${person}`,
    body: ApproveBody,
  },
  reject: {
    action: 'rejected',
    summary: 'Reject a campaign',
    description: `Makes a campaign that awaits approval a draft again. ${person}`,
    body: RejectBody,
  },
} as const;

/** `POST …/approve` and `…/reject`. */
export function decideApproval(app: Server, verb: keyof typeof decisions, deps: Deps) {
  const { campaigns, approvals, campaignApprovals, transact, wake } = deps;
  const { action, summary, description, body } = decisions[verb];

  /** Starts what was approved, in the transaction of the approval, so that neither happens without the other. */
  async function start(tx: Transaction, principal: Principal, campaign: Campaign, comment: string | undefined) {
    const now = new Date();
    const at = campaign.schedule_at === null ? null : new Date(campaign.schedule_at);
    if (at && at <= now) throw timePassed(campaign.schedule_at);
    await campaignApprovals.approved(tx, principal, campaign, comment);
    const isNow = at === null;
    return campaigns.transition(tx, principal.accountId, {
      id: campaign.id,
      name: isNow ? 'send' : 'schedule',
      action,
      change: { max_unapproved: null, ...(isNow ? sendingStarted(now, campaign) : { work_at: startsAt(campaign) ?? at }) },
    });
  }

  app.post(
    `/v2/campaigns/:id/${verb}`,
    {
      config: { scope: 'campaigns:send', ifMatch: true },
      schema: {
        operationId: `${verb}Campaign`,
        summary,
        description,
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body,
        response: { 200: success(Campaign) },
      },
    },
    async (request, reply) => {
      const { principal } = request;
      requirePerson(principal, `${verb} a campaign`);
      const { revision, comment } = request.body;
      return transact(request, reply, async (tx) => {
        const before = await campaigns.get(principal.accountId, request.params.id, tx);
        if (before.status !== 'awaiting_approval') throw invalidState(action, before.status, ['awaiting_approval']);
        requireMatch(request, before);
        requireSeen(revision, before);
        if (verb === 'approve') requireSendPermission(principal, before);
        const asking = await approvals.find(principal.accountId, before.id, tx);
        if (asking) requireSecondPerson(asking, principal);
        const campaign =
          verb === 'approve'
            ? await start(tx, principal, before, comment)
            : await campaignApprovals.backToDraft(tx, principal, before, {
                status: 'rejected',
                action,
                ...(comment && { comment }),
              });
        tx.afterCommit(wake);
        return { status: 200, data: campaign, etag: etagOf(campaign) };
      });
    },
  );
}

function timePassed(scheduleAt: string | null) {
  const message = `It was to be sent at ${scheduleAt}, which has passed. Unschedule the campaign, and send it with another schedule_at.`;
  return new ApiError('INVALID_STATE', message, { details: [{ path: '/schedule_at', code: 'schedule_passed', message }] });
}
