import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { everyVersion, sendersOf } from '../ab-tests/ab-test.ts';
import { startsAt } from '../audience/local-time.ts';
import type { RequireSegments } from '../audience/require-segments.ts';
import type { RequireValidTemplates } from '../content/templates/require-valid-templates.ts';
import type { RequireSender } from '../delivery/senders/require-sender.ts';
import type { CampaignApprovals } from './approval/campaign-approvals.ts';
import { Campaign } from './campaign.ts';
import { invalidState, isEditable, sendableFrom } from './campaign-states.ts';
import { type FindWarnings, warnings } from './campaign-warnings.ts';
import { type CampaignsStore, sendingStarted } from './campaigns-store.ts';
import type { ConsentWarnings } from './consent-warnings.ts';
import type { CouponWarnings } from './coupon-warnings.ts';
import { requireSendPermission } from './require-send-permission.ts';
import { requireFuture, requireSchedule } from './schedule.ts';
import type { WithTemplate } from './with-template.ts';

type Deps = {
  campaigns: CampaignsStore;
  withTemplate: WithTemplate;
  requireValidTemplates: RequireValidTemplates;
  requireSegments: RequireSegments;
  requireSender: RequireSender;
  findWarnings: FindWarnings;
  couponWarnings: Pick<CouponWarnings, 'atSend'>;
  consentWarnings: Pick<ConsentWarnings, 'atSend'>;
  campaignApprovals: CampaignApprovals;
  transact: Transact;
  wake: () => void;
};

const SendBody = z.strictObject({
  schedule_at: Moment.optional().describe('When to start sending, at most a year ahead; now if omitted.'),
});

const SentCampaign = Campaign.extend({ warnings }).meta({ id: 'SentCampaign' });

export function sendCampaign(
  app: Server,
  { campaigns, withTemplate, requireValidTemplates, requireSegments, requireSender, campaignApprovals, transact, wake, ...warn }: Deps,
) {
  const { findWarnings, couponWarnings, consentWarnings } = warn;
  app.post(
    '/v2/campaigns/:id/send',
    {
      config: { scope: 'campaigns:send', ifMatch: true },
      schema: {
        operationId: 'sendCampaign',
        summary: 'Send a campaign',
        description:
          'Freezes the audience into the ledger and starts sending. A campaign in `recipient` mode is frozen when the first time zone of the world reaches the local time of `schedule_at`; contacts whose local time has passed by then get it at once. Returns the campaign; poll its `status` for progress. ' +
          'Consent is checked again for each contact just before its email is sent. A campaign is sent once; one that failed before anything was sent ' +
          'can be corrected and sent again. If the settings require approval (`approval` of the campaign settings), nothing starts: the status becomes ' +
          '`awaiting_approval` until a second person approves it.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: SendBody,
        response: { 202: success(SentCampaign) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      const { schedule_at } = request.body;
      const scheduleAt = schedule_at === undefined ? undefined : new Date(schedule_at);
      const name = scheduleAt ? 'schedule' : 'send';
      const isSendable = ({ status }: Campaign) => sendableFrom(name).includes(status);
      const workAt = (campaign: Campaign, at: Date) => ({ work_at: startsAt({ ...campaign, schedule_at: at }) ?? at });
      /** The content of the template's current version, which the campaign keeps from now on. */
      const pinnedContent = async (before: Campaign, checked: Campaign | undefined) => {
        if (before.template_id === null || !isEditable(before.status)) return {};
        const isChecked = checked?.revision === before.revision && checked.template_id === before.template_id;
        const { subject, preview_text, html, mjml, text, template_version } = checked && isChecked ? checked : await checkedContent(before);
        return { subject, preview_text, html, mjml, text, template_version };
      };
      const checkedContent = async (draft: Campaign) => {
        const campaign = await withTemplate(accountId, draft);
        for (const { version } of everyVersion(campaign)) await requireValidTemplates(accountId, version);
        return campaign;
      };
      return transact(
        request,
        reply,
        async (tx, prepared) => {
          const before = await campaigns.get(accountId, id, tx);
          requireMatch(request, before);
          requireSendPermission(request.principal, before);
          if (!isSendable(before)) throw invalidState('sent', before.status, sendableFrom(name));
          requireSchedule(before, scheduleAt);
          const pinned = await pinnedContent(before, prepared?.checked);
          const { isRequired, maxUnapproved } = await campaignApprovals.requirement(tx, accountId, before, prepared?.counted);
          const start = scheduleAt
            ? { schedule_at: scheduleAt, ...workAt(before, scheduleAt), completed_at: null, status_reason: null }
            : { ...sendingStarted(new Date(), before), schedule_at: null };
          const change = { ...pinned, ...start, max_unapproved: maxUnapproved };
          const campaign = isRequired
            ? await campaignApprovals.request(tx, request.principal, before, { ...pinned, schedule_at: scheduleAt ?? null })
            : await campaigns.transition(tx, accountId, { id, name, action: 'sent', change });
          tx.afterCommit(wake);
          return {
            status: 202,
            data: { ...campaign, warnings: prepared?.warnings ?? [] },
            location: `/v2/campaigns/${id}`,
            etag: etagOf(campaign),
          };
        },
        {
          before: async () => {
            if (scheduleAt) requireFuture(scheduleAt);
            const draft = await campaigns.get(accountId, id);
            // The segments of a sent campaign may no longer exist; the transition reports its state instead.
            if (!isSendable(draft)) return undefined;
            requireSchedule(draft, scheduleAt);
            const checked = await checkedContent(draft);
            for (const from of sendersOf(draft)) await requireSender(accountId, from);
            await requireSegments(accountId, draft.audience, { mayWait: false });
            const warnings = [
              ...(await findWarnings(accountId, checked)),
              ...(await couponWarnings.atSend(accountId, checked)),
              ...(await consentWarnings.atSend(accountId, checked)),
            ];
            return { checked, warnings, counted: await campaignApprovals.count(accountId, draft) };
          },
        },
      );
    },
  );
}
