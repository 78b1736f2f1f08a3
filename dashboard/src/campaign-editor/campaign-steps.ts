import type { CampaignDraft } from './campaign-draft.ts';

/** The steps of making a campaign, in order. */
export const campaignSteps = ['audience', 'content', 'settings', 'review'] as const;
export type CampaignStep = (typeof campaignSteps)[number];

export const stepNames: Readonly<Record<CampaignStep, string>> = {
  audience: 'Audience',
  content: 'Content',
  settings: 'Settings',
  review: 'Review and send',
};

export const stepAfter = (step: CampaignStep): CampaignStep => campaignSteps[campaignSteps.indexOf(step) + 1] ?? 'review';

/** Parses the URL parameters of the page. */
export function stepSearch({ step }: Record<string, unknown>): { step?: CampaignStep } {
  const known = campaignSteps.find((one) => one === step);
  return known ? { step: known } : {};
}

/** Of a new campaign: also the segment that it is sent to. */
export const newCampaignSearch = ({ segment, ...search }: Record<string, unknown>): { step?: CampaignStep; segment?: string } => ({
  ...stepSearch(search),
  ...(typeof segment === 'string' && { segment }),
});

const fields: Readonly<Record<CampaignStep, readonly (keyof CampaignDraft)[]>> = {
  audience: ['name', 'from', 'reply_to', 'audience'],
  content: ['subject', 'preview_text', 'html', 'text', 'mjml', 'design', 'template_id', 'overrides'],
  settings: [
    'throttle_per_minute',
    'track',
    'timezone_mode',
    'fallback_timezone',
    'topic',
    'utm',
    'conversion',
    'ab_test',
    'holdout_percent',
  ],
  review: [],
};

/** The step that has a field, by the path of an error such as `from.email`. */
export const stepOf = (path: string): CampaignStep =>
  campaignSteps.find((step) => fields[step].some((field) => path === field || path.startsWith(`${field}.`))) ?? 'audience';
