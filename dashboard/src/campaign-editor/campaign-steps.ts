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

export type Missing = { step: CampaignStep; field: string; what: string };

/** What a campaign needs before it can be sent, with the field where it is entered. */
export function missingOf({ name, from, audience, subject, html, text, mjml, design, template_id }: CampaignDraft): Missing[] {
  const hasContent = template_id !== null || design !== null || [html, text, mjml ?? ''].some((part) => part.trim() !== '');
  const needs: (Missing & { isThere: boolean })[] = [
    { step: 'audience', field: 'name', what: 'Give the campaign a name.', isThere: name.trim() !== '' },
    { step: 'audience', field: 'from.email', what: 'Enter a sender address.', isThere: from.email.trim() !== '' },
    { step: 'audience', field: 'audience.include', what: 'Choose a segment, or all contacts.', isThere: audience.include.length > 0 },
    { step: 'content', field: 'subject', what: 'Write a subject.', isThere: subject.trim() !== '' },
    { step: 'content', field: 'html', what: 'Write the email, or choose a template.', isThere: hasContent },
  ];
  return needs.filter(({ isThere }) => !isThere).map(({ isThere: _isThere, ...missing }) => missing);
}

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
