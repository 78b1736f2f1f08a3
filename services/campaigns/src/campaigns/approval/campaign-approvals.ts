import type { ApprovalChange } from '@mp/contracts/approval';
import { CampaignApprovalChanged } from '@mp/contracts/events/campaigns';
import type { AccountId } from '@mp/ids';
import type { ApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { AudiencePages } from '../../audience/audience-pages.ts';
import type { TemplatesStore } from '../../content/templates/templates-store.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import type { Campaign } from '../campaign.ts';
import type { CampaignsStore, TransitionChange } from '../campaigns-store.ts';
import { contentOfDraft } from '../with-template.ts';

type Deps = {
  campaigns: CampaignsStore;
  templates: Pick<TemplatesStore, 'lock'>;
  approvals: ApprovalsStore;
  settings: Pick<SettingsStore, 'of'>;
  audiencePages: AudiencePages;
  outbox: Pick<Outbox, 'add'>;
};

/** The recipients of a revision; null if counting took too long. */
export type CountedAudience = { revision: number; recipients: number | null };

/** How long a request counts recipients. A larger audience needs approval. */
const maxCountMs = 5_000;

export type CampaignApprovals = ReturnType<typeof createCampaignApprovals>;

/** The fields that an approval is about: everything that recipients or the sending depend on. */
export function approvedContent(campaign: Campaign) {
  const { name, subject, preview_text, from, reply_to, template_id, template_version, html, text, utm, audience, ab_test } = campaign;
  const { holdout_percent, topic, conversion, throttle_per_minute, track, timezone_mode, fallback_timezone, schedule_at } = campaign;
  const content = { name, subject, preview_text, from, reply_to, template_id, template_version, html, text, utm, audience, ab_test };
  return { ...content, holdout_percent, topic, conversion, throttle_per_minute, track, timezone_mode, fallback_timezone, schedule_at };
}

/** Decides which campaigns need approval, and begins and ends requests for it, with their event. */
export function createCampaignApprovals({ campaigns, templates, approvals, settings, audiencePages, outbox }: Deps) {
  const publish = (
    tx: Transaction,
    { accountId, id: actor_id }: Principal,
    { id, name, revision, schedule_at }: Campaign,
    { change, requested_by, comment = null }: { change: ApprovalChange; requested_by: string; comment?: string | null | undefined },
  ) =>
    outbox.add(tx, CampaignApprovalChanged, accountId, {
      ...{ campaign_id: id, name, change, revision, requested_by, actor_id, comment, schedule_at },
      at: new Date().toISOString(),
    });

  const end = async (
    tx: Transaction,
    principal: Principal,
    campaign: Campaign,
    status: 'approved' | 'rejected' | 'withdrawn',
    comment?: string,
  ) => {
    const request = await approvals.find(principal.accountId, campaign.id, tx);
    const approved = status === 'approved' ? { approved: approvedContent(campaign) } : {};
    await approvals.end(tx, principal.accountId, campaign.id, { status, by: principal.id, comment, ...approved });
    const requested_by = request?.requested_by ?? principal.id;
    await publish(tx, principal, campaign, { change: status, requested_by, comment: comment || null });
  };

  return {
    /** How many recipients the campaign has now, if that decides whether it needs approval. */
    async count(accountId: AccountId, { audience, revision }: Campaign): Promise<CountedAudience | undefined> {
      const { approval, approval_above } = await settings.of(accountId);
      if (approval !== 'above' || approval_above === null) return undefined;
      const asOf = new Date();
      let recipients = 0;
      for (let after: string | null = null; ; ) {
        const { contactIds, excluded, next } = await audiencePages({ accountId, audience, asOf, after });
        recipients += contactIds.filter((id) => !excluded.has(id)).length;
        if (next === null || recipients > approval_above) return { revision, recipients };
        if (Date.now() - asOf.getTime() > maxCountMs) return { revision, recipients: null };
        after = next;
      }
    },

    /**
     * Whether sending this campaign needs approval; if not, how many recipients it may have. What was not counted, or not of this revision,
     * needs it.
     */
    async requirement(tx: Transaction, accountId: AccountId, { revision, audience }: Campaign, counted: CountedAudience | undefined) {
      const { approval, approval_above, approval_segments } = await settings.of(accountId, tx);
      if (approval === 'outside_segments') {
        const free = new Set<string>(approval_segments);
        return { isRequired: !audience.include.every((id) => free.has(id)), maxUnapproved: null };
      }
      if (approval !== 'above' || approval_above === null) return { isRequired: approval === 'always', maxUnapproved: null };
      const recipients = counted?.revision === revision ? counted.recipients : null;
      return { isRequired: recipients === null || recipients > approval_above, maxUnapproved: approval_above };
    },

    async request(tx: Transaction, principal: Principal, campaign: Campaign, change: TransitionChange): Promise<Campaign> {
      const { accountId } = principal;
      const cleared = { completed_at: null, status_reason: null, max_unapproved: null };
      const awaiting = await campaigns.transition(tx, accountId, {
        id: campaign.id,
        name: 'request_approval',
        action: 'sent for approval',
        change: { ...change, ...cleared },
      });
      await approvals.request(tx, principal, campaign.id);
      await publish(tx, principal, awaiting, { change: 'requested', requested_by: principal.id });
      return awaiting;
    },

    /** Makes a campaign that awaits approval a draft again, which reads its template anew. */
    async backToDraft(
      tx: Transaction,
      principal: Principal,
      campaign: Campaign,
      ended: { status: 'rejected' | 'withdrawn'; action: string; comment?: string },
    ) {
      await end(tx, principal, campaign, ended.status, ended.comment);
      const content = await contentOfDraft(templates, tx, principal.accountId, campaign);
      return campaigns.transition(tx, principal.accountId, {
        id: campaign.id,
        name: 'unschedule',
        action: ended.action,
        change: { schedule_at: null, ...content },
      });
    },

    approved: (tx: Transaction, principal: Principal, campaign: Campaign, comment?: string) =>
      end(tx, principal, campaign, 'approved', comment),
  };
}
