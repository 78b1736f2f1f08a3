import type { UseFormReturnType } from '@mantine/form';
import { type ContentDraft, contentBody } from '../email-editor/content.ts';
import { type Brand, designOf, newDesign } from '../email-editor/design.ts';
import { blank } from '../email-editor/starters.ts';
import type { Campaign, NewCampaign } from './campaigns.ts';

/** The state of the editor, as typed: the request body with text instead of null and of numbers. */
export type CampaignDraft = ContentDraft & {
  name: string;
  from: { email: string; name: string };
  reply_to: string;
  /** The template that the content is taken from when the campaign is sent. */
  template_id: string | null;
  audience: { include: string[]; exclude: string[] };
  throttle_per_minute: string;
  track: { opens: boolean; clicks: boolean };
};

export type CampaignFormState = UseFormReturnType<CampaignDraft>;

/** `segment`: the audience. */
export const newDraft = (brand: Brand, segment = 'all'): CampaignDraft => ({
  ...{ name: '', subject: '', preview_text: '', html: '', text: '', mjml: null, template_id: null },
  design: newDesign(brand, blank),
  from: { email: '', name: '' },
  reply_to: '',
  audience: { include: [segment], exclude: [] },
  throttle_per_minute: '',
  track: { opens: true, clicks: true },
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
    audience: { include: campaign.audience.include, exclude: campaign.audience.exclude },
    throttle_per_minute: campaign.throttle_per_minute?.toString() ?? '',
    track: campaign.track,
  };
}

const orNull = (text: string) => (text.trim() === '' ? null : text);

export function campaignOf(draft: CampaignDraft): NewCampaign {
  const { html: _html, text: _text, mjml: _mjml, design: _design, template_id, ...fields } = draft;
  return {
    ...fields,
    ...(template_id === null ? { ...contentBody(draft), template_id: null } : {}),
    preview_text: orNull(draft.preview_text),
    from: { email: draft.from.email, name: orNull(draft.from.name) },
    reply_to: orNull(draft.reply_to),
    throttle_per_minute: draft.throttle_per_minute.trim() === '' ? null : Number(draft.throttle_per_minute),
  };
}

export const invalidThrottle = (text: string) =>
  /^\s*\d*\s*$/.test(text) ? null : 'Enter a whole number, or leave it empty for no limit.';
