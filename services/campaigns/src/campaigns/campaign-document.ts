import type { KnownPositions } from '@mp/contracts/requests/positions';
import type { AccountId, CampaignId } from '@mp/ids';
import type { AbResult, StoredAbResult } from '../ab-tests/ab-test.ts';
import { comparedWithWinner } from '../ab-tests/best-variant.ts';
import { type Campaign, type CampaignSummary, templateFields } from './campaign.ts';
import type { Work } from './campaign-states.ts';

export type Times = 'schedule_at' | 'frozen_at' | 'started_at' | 'completed_at';

export type CampaignDocument = Omit<Campaign, 'id' | 'created_at' | 'updated_at' | 'overrides' | 'ab_result' | Times> & {
  _id: CampaignId;
  account_id: AccountId;
  created_at: Date;
  updated_at: Date;
  ab_result: StoredAbResult | null;
  /** An earlier release did not store it. */
  overrides?: Campaign['overrides'];
} & { [Time in Times]: Date | null } & {
  /** The work to do, when it is due, and the fencing token of the worker that claimed it. */
  work?: Work;
  work_at?: Date;
  work_token?: string;
  /** The last contact ID of the audience that is in the ledger. */
  frozen_after?: string;
  /** The known positions of the audience's sources, while the freeze waits for them. */
  whereabouts?: KnownPositions;
  /** When the throttle allows the next email, in epoch milliseconds. */
  throttle_free_at?: number;
  /** How many recipients it may have without approval; null if it was approved or needs none. */
  max_unapproved?: number | null;
  /** When the next step of the A/B test is due. */
  test_at?: Date;
};

export function documentOf(
  accountId: AccountId,
  { id, created_at, updated_at, schedule_at, frozen_at, started_at, completed_at, ...members }: Campaign,
): CampaignDocument {
  const date = (time: string | null) => (time === null ? null : new Date(time));
  return {
    _id: id,
    account_id: accountId,
    ...members,
    schedule_at: date(schedule_at),
    frozen_at: date(frozen_at),
    started_at: date(started_at),
    completed_at: date(completed_at),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
}

export function campaignOf(document: CampaignDocument): Campaign {
  const { html, text, mjml = null, design = null, ab_test = null } = document;
  // An earlier release stored no currency.
  return { ...summaryOf(document), html, mjml, text, design, ab_test: ab_test && { ...ab_test, currency: ab_test.currency ?? null } };
}

/** An earlier release stored no revenue, and a significance that was not that of the winner. */
function resultOf({ variants, ...result }: StoredAbResult): AbResult {
  const trials = variants.map(({ id, accepted, successes, revenue = null }) => ({ id, accepted, successes, revenue }));
  return { ...result, ...comparedWithWinner(result.winner, trials) };
}

export function summaryOf(row: CampaignDocument): CampaignSummary {
  return {
    id: row._id,
    name: row.name,
    channel: row.channel,
    status: row.status,
    status_reason: row.status_reason,
    problem: row.problem ?? null,
    subject: row.subject,
    preview_text: row.preview_text,
    from: row.from,
    reply_to: row.reply_to,
    template_id: row.template_id ?? null,
    template_version: row.template_version ?? null,
    overrides: row.overrides ?? (row.template_id ? [...templateFields] : []),
    utm: row.utm ?? null,
    audience: row.audience,
    ab_result: row.ab_result ? resultOf(row.ab_result) : null,
    topic: row.topic ?? null,
    holdout_percent: row.holdout_percent ?? null,
    conversion: row.conversion ?? null,
    throttle_per_minute: row.throttle_per_minute,
    timezone_mode: row.timezone_mode ?? 'fixed',
    fallback_timezone: row.fallback_timezone ?? null,
    track: row.track,
    schedule_at: row.schedule_at?.toISOString() ?? null,
    audience_count: row.audience_count,
    frozen_at: row.frozen_at?.toISOString() ?? null,
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
    revision: row.revision,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
