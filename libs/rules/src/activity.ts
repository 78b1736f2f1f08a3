/** One thing a contact did, or that happened to a message sent to them. */
export type Activity = {
  readonly name: string;
  readonly time: Date;
  readonly properties: { readonly [property: string]: string | number | boolean | null };
};

export const campaignActivities = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed'] as const;
export type CampaignActivity = (typeof campaignActivities)[number];

/** Names that begin so are campaign activities; no tracked event may use them. */
export const campaignPrefix = '$campaign.';

/** The name under which a campaign activity is kept among a contact's activities. */
export const campaignActivityName = (activity: CampaignActivity): string => `${campaignPrefix}${activity}`;

/** A campaign activity as an activity: `$campaign.opened` with the property `campaign_id`. */
export const campaignActivityOf = (campaignId: string, activity: CampaignActivity, time: Date): Activity => ({
  name: campaignActivityName(activity),
  time,
  properties: { campaign_id: campaignId },
});
