import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { campaignId } from '@mp/contracts/ids';
import { refusal } from '@mp/contracts/permissions';
import type { Principal, Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { sendersOf } from '../ab-tests/ab-test.ts';
import type { RequireSegments } from '../audience/require-segments.ts';
import { contentBodyLimit } from '../content/templates/content-fields.ts';
import type { RequireSender } from '../delivery/senders/require-sender.ts';
import type { CampaignApprovals } from './approval/campaign-approvals.ts';
import { Campaign } from './campaign.ts';
import { changeCampaign, UpdateCampaignBody } from './campaign-body.ts';
import { editableStatuses, invalidState, isEditable } from './campaign-states.ts';
import type { CampaignsStore } from './campaigns-store.ts';
import type { CheckContent } from './check-content.ts';
import { requireSendPermission } from './require-send-permission.ts';
import { requireFuture } from './schedule.ts';

type Deps = {
  campaigns: CampaignsStore;
  checkContent: CheckContent;
  requireSegments: RequireSegments;
  requireSender: RequireSender;
  campaignApprovals: CampaignApprovals;
  transact: Transact;
  wake: () => void;
};

export function updateCampaign(
  app: Server,
  { campaigns, checkContent, requireSegments, requireSender, campaignApprovals, transact, wake }: Deps,
) {
  app.put(
    '/v2/campaigns/:id',
    {
      config: { scope: 'campaigns:write', bodyLimit: contentBodyLimit, ifMatch: true },
      schema: {
        operationId: 'updateCampaign',
        summary: 'Update a campaign',
        description:
          'Possible while the status is `draft`, `failed` or `awaiting_approval`, which a change makes a `draft` again; while it is `scheduled`, only `schedule_at` can be changed, which needs approval like sending, and the scope `campaigns:send`. Omitted fields keep their value; `null` clears a field. `from`, `audience` and `track` are merged field by field. ' +
          'An update that changes nothing writes nothing. Send `If-Match` with the `ETag` to reject a stale update (optional).',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: UpdateCampaignBody,
        response: { 200: success(Campaign) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      const requireEditable = (before: Campaign) => {
        if (
          isEditable(before.status) ||
          before.status === 'awaiting_approval' ||
          (before.status === 'scheduled' && onlyReschedules(before, request.body))
        )
          return;
        throw invalidState('updated', before.status, editableStatuses);
      };
      return transact(
        request,
        reply,
        async (tx, prepared) => {
          const checked = prepared?.checked;
          const before = await campaigns.get(accountId, id, tx);
          requireMatch(request, before);
          const changed = changeCampaign(before, request.body);
          requireEditable(before);
          if (changed === before) return { status: 200, data: before, etag: etagOf(before) };
          if (before.status === 'scheduled') {
            requireSending(request.principal);
            requireSendPermission(request.principal, before);
            const at = new Date(changed.schedule_at ?? 0);
            requireFuture(at);
            const { isRequired } = await campaignApprovals.requirement(tx, accountId, before, prepared?.counted);
            if (isRequired) {
              const awaiting = await campaignApprovals.request(tx, request.principal, before, { schedule_at: at });
              return { status: 200, data: awaiting, etag: etagOf(awaiting) };
            }
            await campaigns.reschedule(tx, accountId, changed, at);
            tx.afterCommit(wake);
            return { status: 200, data: { ...changed, problem: null }, etag: etagOf(changed) };
          }
          const draft =
            before.status === 'awaiting_approval'
              ? asDraft(
                  changed,
                  before,
                  await campaignApprovals.backToDraft(tx, request.principal, before, { status: 'withdrawn', action: 'updated' }),
                )
              : changed;
          // Another update may have been written after the check.
          const campaign =
            checked && hasSameTemplates(changed, checked)
              ? {
                  ...draft,
                  ...(draft.template_id === null && { html: checked.html }),
                  subject: checked.subject,
                  preview_text: checked.preview_text,
                }
              : await checkContent(accountId, draft, before);
          await campaigns.replaceDraft(tx, accountId, campaign);
          return { status: 200, data: campaign, etag: etagOf(campaign) };
        },
        {
          before: async () => {
            const current = await campaigns.get(accountId, id);
            const changed = changeCampaign(current, request.body);
            if (!isEditable(current.status) && current.status !== 'awaiting_approval') {
              const isRescheduled = changed !== current && onlyReschedules(current, request.body);
              if (current.status !== 'scheduled' || !isRescheduled) return undefined;
              await requireSegments(accountId, current.audience, { mayWait: false });
              for (const from of sendersOf(current)) await requireSender(accountId, from);
              return { checked: undefined, counted: await campaignApprovals.count(accountId, current) };
            }
            const checked = await checkContent(accountId, changed, current);
            if (request.body.audience) await requireSegments(accountId, changed.audience, { mayWait: true });
            return { checked, counted: undefined };
          },
        },
      );
    },
  );
}

/** Throws FORBIDDEN unless the caller may send campaigns: whoever chooses when one is sent could choose the next minute. */
function requireSending(principal: Principal) {
  const refused = refusal(principal, 'POST', 'campaigns:send');
  if (refused !== undefined) throw new ApiError('FORBIDDEN', `Changing when a campaign is sent needs the right to send. ${refused}`);
}

/** Whether the request changes only the start time of a scheduled campaign. */
function onlyReschedules(before: Campaign, { schedule_at: _, ...others }: z.output<typeof UpdateCampaignBody>) {
  return changeCampaign(before, others) === before;
}

const hasSameTemplates = (a: Campaign, b: Campaign) =>
  a.subject === b.subject &&
  a.preview_text === b.preview_text &&
  a.mjml === b.mjml &&
  (a.mjml !== null || a.html === b.html) &&
  a.text === b.text &&
  a.template_id === b.template_id &&
  isDeepStrictEqual(a.overrides, b.overrides) &&
  isDeepStrictEqual(a.ab_test, b.ab_test);

/** The change of a campaign that awaited approval, on top of the draft that it has become. */
function asDraft(changed: Campaign, before: Campaign, draft: Campaign): Campaign {
  const content = changed.template_id !== null && changed.template_id === before.template_id ? contentOf(draft) : {};
  return { ...changed, ...content, status: draft.status, schedule_at: null, revision: draft.revision + 1 };
}

const contentOf = ({ template_id, template_version, overrides, html, mjml, text }: Campaign) => ({
  ...{ template_id, template_version, overrides, html, mjml, text },
});
