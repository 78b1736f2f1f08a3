import type { Campaign, NewCampaign } from './campaigns.ts';

/** The state of the editor, as typed. */
export type CampaignDraft = {
  name: string;
  subject: string;
  previewText: string;
  fromName: string;
  fromEmail: string;
  replyTo: string;
  html: string;
  text: string;
  include: string[];
  exclude: string[];
  perMinute: string;
  tracksOpens: boolean;
  tracksClicks: boolean;
};

const example = `<h1>Hello {{ contact.first_name }}</h1>
<p>Write your message here.</p>
<p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
`;

export const draftOf = (campaign: Campaign | undefined): CampaignDraft => ({
  name: campaign?.name ?? '',
  subject: campaign?.subject ?? '',
  previewText: campaign?.preview_text ?? '',
  fromName: campaign?.from.name ?? '',
  fromEmail: campaign?.from.email ?? '',
  replyTo: campaign?.reply_to ?? '',
  html: campaign?.html ?? example,
  text: campaign?.text ?? '',
  include: campaign?.audience.include ?? ['all'],
  exclude: campaign?.audience.exclude ?? [],
  perMinute: campaign?.throttle_per_minute?.toString() ?? '',
  tracksOpens: campaign?.track.opens ?? true,
  tracksClicks: campaign?.track.clicks ?? true,
});

const orNull = (text: string) => (text.trim() === '' ? null : text);

export const campaignOf = (draft: CampaignDraft): NewCampaign => ({
  name: draft.name,
  subject: draft.subject,
  preview_text: orNull(draft.previewText),
  from: { email: draft.fromEmail, name: orNull(draft.fromName) },
  reply_to: orNull(draft.replyTo),
  html: draft.html,
  text: orNull(draft.text),
  audience: { include: draft.include, exclude: draft.exclude },
  throttle_per_minute: draft.perMinute.trim() === '' ? null : Number(draft.perMinute),
  track: { opens: draft.tracksOpens, clicks: draft.tracksClicks },
});
