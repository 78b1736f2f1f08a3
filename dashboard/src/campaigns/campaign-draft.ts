import type { UseFormReturnType } from '@mantine/form';
import type { Campaign, NewCampaign } from './campaigns.ts';

/** The state of the editor, as typed: the request body with text instead of null and of numbers. */
export type CampaignDraft = {
  name: string;
  subject: string;
  preview_text: string;
  from: { email: string; name: string };
  reply_to: string;
  html: string;
  text: string;
  audience: { include: string[]; exclude: string[] };
  throttle_per_minute: string;
  track: { opens: boolean; clicks: boolean };
};

export type CampaignFormState = UseFormReturnType<CampaignDraft>;

const example = `<h1>Hello {{ contact.first_name }}</h1>
<p>Write your message here.</p>
<p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
`;

/** `segment`: the audience of a new campaign. */
export const draftOf = (campaign: Campaign | undefined, segment = 'all'): CampaignDraft => ({
  name: campaign?.name ?? '',
  subject: campaign?.subject ?? '',
  preview_text: campaign?.preview_text ?? '',
  from: { email: campaign?.from.email ?? '', name: campaign?.from.name ?? '' },
  reply_to: campaign?.reply_to ?? '',
  html: campaign?.html ?? example,
  text: campaign?.text ?? '',
  audience: { include: campaign?.audience.include ?? [segment], exclude: campaign?.audience.exclude ?? [] },
  throttle_per_minute: campaign?.throttle_per_minute?.toString() ?? '',
  track: { opens: campaign?.track.opens ?? true, clicks: campaign?.track.clicks ?? true },
});

const orNull = (text: string) => (text.trim() === '' ? null : text);

export const campaignOf = (draft: CampaignDraft): NewCampaign => ({
  ...draft,
  preview_text: orNull(draft.preview_text),
  from: { email: draft.from.email, name: orNull(draft.from.name) },
  reply_to: orNull(draft.reply_to),
  text: orNull(draft.text),
  throttle_per_minute: draft.throttle_per_minute.trim() === '' ? null : Number(draft.throttle_per_minute),
});

export const validateCampaign = {
  throttle_per_minute: (text: string) => (/^\s*\d*\s*$/.test(text) ? null : 'Enter a whole number, or leave it empty for no limit.'),
};
