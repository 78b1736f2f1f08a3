import type { z } from 'zod';
import { CampaignProblemFound, CampaignTransitioned } from '../events/campaigns.ts';
import { defineWebhookEvent } from './webhook-event.ts';

type Transition = z.output<typeof CampaignTransitioned.data>['transition'];

const campaign = CampaignTransitioned.data.omit({ transition: true });

const campaignEvent = (type: string, summary: string, transition: Transition, example: Partial<z.input<typeof campaign>>) =>
  defineWebhookEvent({
    type,
    summary,
    source: CampaignTransitioned,
    data: campaign,
    content: ({ data: { transition: made, ...data } }) => (made === transition ? { data, contactIds: [] } : undefined),
    example: { transition, ...example },
  });

export const campaignScheduled = campaignEvent('campaign.scheduled', 'A campaign was scheduled', 'schedule', { status: 'scheduled' });

export const campaignProblemFound = defineWebhookEvent({
  type: 'campaign.problem_found',
  summary: 'A scheduled campaign would fail if it started now',
  source: CampaignProblemFound,
  data: CampaignProblemFound.data,
  content: ({ data }) => ({ data, contactIds: [] }),
  example: {
    problem: '/audience/include/0: the segment could not be built; update its definition to rebuild it, or remove it from the audience.',
  },
});

export const campaignStarted = campaignEvent('campaign.started', 'Sending of a campaign started', 'send', { status: 'freezing' });

export const campaignCompleted = campaignEvent('campaign.completed', 'Every email of a campaign was processed', 'finish', {
  status: 'sent',
  audience_count: 1_200,
});

export const campaignPaused = campaignEvent('campaign.paused', 'A campaign was paused', 'pause', {
  status: 'paused',
  audience_count: 1_200,
});

export const campaignFailed = campaignEvent('campaign.failed', 'A campaign could not be sent', 'fail', {
  status: 'failed',
  status_reason: 'audience_unavailable',
});
