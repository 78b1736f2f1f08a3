import type { UseFormReturnType } from '@mantine/form';
import type { Campaign, NewCampaign } from '../campaigns/campaigns.ts';
import { type ContentDraft, contentBody } from '../email-design/content.ts';
import { type Brand, designOf, newDesign } from '../email-design/design.ts';
import { blank } from '../email-design/starters.ts';
import type { DefaultSender } from '../sending/sending-settings.ts';
import { accountZone } from '../time/zone.ts';
import { type AbTestDraft, abTestDraftOf, abTestOf } from './ab-test-draft.ts';

/** The state of the editor, as typed: the request body with text instead of null and of numbers. */
export type CampaignDraft = ContentDraft & {
  name: string;
  from: { email: string; name: string };
  reply_to: string;
  /** The template that the content is taken from when the campaign is sent. */
  template_id: string | null;
  /** The fields that it sets itself instead of taking them from the template. */
  overrides: TemplateField[];
  audience: { include: string[]; exclude: string[] };
  throttle_per_minute: string;
  track: { opens: boolean; clicks: boolean };
  /** Whether each contact gets it at the scheduled time in the contact's own time zone. */
  timezone_mode: Campaign['timezone_mode'];
  fallback_timezone: string;
  topic: string;
  utm: UtmDraft | null;
  conversion: ConversionDraft;
  ab_test: AbTestDraft | null;
  holdout_percent: string;
};

export type TemplateField = Campaign['overrides'][number];

/** What counts as a conversion; without an event any with a value. */
export type ConversionDraft = { event: string; window_days: string };

const usualConversion: ConversionDraft = { event: '', window_days: '7' };

/** Text instead of null, which means: the usual value, or none. */
export type UtmDraft = Record<'source' | 'medium' | 'campaign' | 'term' | 'content', string>;

export const newUtm: UtmDraft = { source: 'newsletter', medium: '', campaign: '', term: '', content: '' };

export type CampaignFormState = UseFormReturnType<CampaignDraft>;

/** `segment`: the audience. Without one nothing is chosen, so that nobody is emailed by oversight. */
export const newDraft = (brand: Brand, sender: DefaultSender | null, segment?: string): CampaignDraft => ({
  ...{ name: '', subject: '', preview_text: '', html: '', text: '', mjml: null, template_id: null, overrides: [] },
  design: newDesign(brand, blank),
  from: { email: sender?.email ?? '', name: sender?.name ?? '' },
  reply_to: sender?.reply_to ?? '',
  audience: { include: segment === undefined ? [] : [segment], exclude: [] },
  throttle_per_minute: '',
  track: { opens: true, clicks: true },
  ...{ timezone_mode: 'fixed', fallback_timezone: '', topic: '', utm: null },
  conversion: usualConversion,
  ab_test: null,
  holdout_percent: '',
});

export function draftOf(campaign: Campaign): CampaignDraft {
  const design = designOf(campaign.design) ?? null;
  return {
    name: campaign.name,
    subject: campaign.subject,
    preview_text: campaign.preview_text ?? '',
    from: { email: campaign.from.email, name: campaign.from.name ?? '' },
    reply_to: campaign.reply_to ?? '',
    // The blocks are the source of both.
    html: design ? '' : campaign.html,
    text: design ? '' : (campaign.text ?? ''),
    mjml: campaign.mjml,
    design,
    template_id: campaign.template_id,
    overrides: campaign.overrides,
    audience: { include: campaign.audience.include, exclude: campaign.audience.exclude },
    throttle_per_minute: campaign.throttle_per_minute?.toString() ?? '',
    track: campaign.track,
    timezone_mode: campaign.timezone_mode,
    fallback_timezone: campaign.fallback_timezone ?? '',
    topic: campaign.topic ?? '',
    utm: campaign.utm && utmDraftOf(campaign.utm),
    conversion: campaign.conversion ? conversionDraftOf(campaign.conversion) : usualConversion,
    ab_test: campaign.ab_test && abTestDraftOf(campaign.ab_test, campaign.from.email),
    holdout_percent: campaign.holdout_percent?.toString() ?? '',
  };
}

const utmDraftOf = ({ source, medium, campaign, term, content }: NonNullable<Campaign['utm']>): UtmDraft => ({
  source,
  medium: medium ?? '',
  campaign: campaign ?? '',
  term: term ?? '',
  content: content ?? '',
});

const conversionDraftOf = ({ event, window_days }: NonNullable<Campaign['conversion']>): ConversionDraft => ({
  event: event ?? '',
  window_days: String(window_days),
});

const orNull = (text: string) => (text.trim() === '' ? null : text);

const utmOf = ({ source, medium, campaign, term, content }: UtmDraft) => ({
  source: source.trim(),
  medium: orNull(medium),
  campaign: orNull(campaign),
  term: orNull(term),
  content: orNull(content),
});

const conversionOf = ({ event, window_days }: ConversionDraft) =>
  event.trim() === '' && window_days.trim() === usualConversion.window_days
    ? null
    : { event: orNull(event.trim()), window_days: Number(window_days) };

export function campaignOf(draft: CampaignDraft): NewCampaign {
  const { html: _html, text: _text, mjml: _mjml, design: _design, template_id, overrides, subject, preview_text, ...fields } = draft;
  const isOwn = (field: TemplateField) => template_id === null || overrides.includes(field);
  return {
    ...fields,
    ...(template_id === null ? { ...contentBody(draft), template_id: null } : { overrides }),
    ...(isOwn('subject') && { subject }),
    ...(isOwn('preview_text') && { preview_text: orNull(preview_text) }),
    from: { email: draft.from.email, name: orNull(draft.from.name) },
    reply_to: orNull(draft.reply_to),
    throttle_per_minute: draft.throttle_per_minute.trim() === '' ? null : Number(draft.throttle_per_minute),
    fallback_timezone: draft.timezone_mode === 'recipient' ? draft.fallback_timezone || accountZone() : null,
    topic: orNull(draft.topic),
    utm: draft.utm && utmOf(draft.utm),
    conversion: conversionOf(draft.conversion),
    ab_test: draft.ab_test && abTestOf(draft.ab_test, draft.from.email),
    holdout_percent: draft.holdout_percent.trim() === '' ? null : Number(draft.holdout_percent),
  };
}
