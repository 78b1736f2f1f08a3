/** A tracked event of a contact, what happened to a message sent to it, or what it did with a form. */
export type Activity = {
  readonly name: string;
  readonly time: Date;
  /** The value of a tracked event, if it has one. */
  readonly value?: { readonly amount: number; readonly currency: string } | null | undefined;
  readonly properties: { readonly [property: string]: string | number | boolean | null };
};

export const campaignActivities = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'refused',
  'complained',
  'unsubscribed',
  'converted',
] as const;
export type CampaignActivity = (typeof campaignActivities)[number];

/** Prefix of the names of campaign activities, reserved in the names of tracked events. */
export const campaignPrefix = '$campaign.';

/** The name under which a campaign activity is stored among a contact's activities. */
export const campaignActivityName = (activity: CampaignActivity): string => `${campaignPrefix}${activity}`;

export const formActivities = ['submitted', 'confirmed'] as const;
export type FormActivity = (typeof formActivities)[number];

/** Prefix of the names of form activities, reserved in the names of tracked events. */
export const formPrefix = '$form.';

/** The name under which a form activity is stored among a contact's activities. */
export const formActivityName = (activity: FormActivity): string => `${formPrefix}${activity}`;

/** Converts a campaign activity to an activity: `$campaign.opened` with the property `campaign_id`. */
export const campaignActivityOf = (campaignId: string, activity: CampaignActivity, time: Date): Activity => ({
  name: campaignActivityName(activity),
  time,
  properties: { campaign_id: campaignId },
});

/** Converts a form activity to an activity: `$form.submitted` with the property `form_id`. */
export const formActivityOf = (formId: string, activity: FormActivity, time: Date): Activity => ({
  name: formActivityName(activity),
  time,
  properties: { form_id: formId },
});
