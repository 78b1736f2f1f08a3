import { z } from 'zod';
import { type ApprovalChange, approvalChanged } from '../approval.ts';
import { CampaignApprovalChanged } from '../events/campaigns.ts';
import { WorkflowApprovalChanged } from '../events/workflows.ts';
import { campaignId, workflowId } from '../ids.ts';
import { defineWebhookEvent } from './webhook-event.ts';

const { change: _, ...shown } = approvalChanged;

type Described = { name: string; summary: string; comment?: string };

const ofCampaign = (change: ApprovalChange, { name, summary, comment }: Described) =>
  defineWebhookEvent({
    type: `campaign.${name}`,
    summary,
    source: CampaignApprovalChanged,
    data: z.object({ campaign_id: campaignId, ...shown }),
    content: ({ data: { change: made, ...data } }) => (made === change ? { data, contactIds: [] } : undefined),
    example: { change, ...(comment !== undefined && { comment }) },
  });

const ofWorkflow = (change: ApprovalChange, { name, summary, comment }: Described) =>
  defineWebhookEvent({
    type: `workflow.${name}`,
    summary,
    source: WorkflowApprovalChanged,
    data: z.object({ workflow_id: workflowId, ...shown }),
    content: ({ data: { change: made, ...data } }) => (made === change ? { data, contactIds: [] } : undefined),
    example: { change, ...(comment !== undefined && { comment }) },
  });

export const campaignApprovalRequested = ofCampaign('requested', {
  name: 'approval_requested',
  summary: 'Approval to send a campaign was requested',
});

export const campaignApproved = ofCampaign('approved', { name: 'approved', summary: 'A campaign was approved' });

export const campaignRejected = ofCampaign('rejected', {
  name: 'rejected',
  summary: 'A campaign was rejected',
  comment: 'The link to the shop is wrong.',
});

export const campaignApprovalWithdrawn = ofCampaign('withdrawn', {
  name: 'approval_withdrawn',
  summary: 'A campaign that awaited approval was changed or unscheduled',
});

export const workflowApprovalRequested = ofWorkflow('requested', {
  name: 'approval_requested',
  summary: 'Approval to activate a workflow was requested',
});

export const workflowApproved = ofWorkflow('approved', { name: 'approved', summary: 'A workflow was approved' });

export const workflowRejected = ofWorkflow('rejected', {
  name: 'rejected',
  summary: 'A workflow was rejected',
  comment: 'The second email has no subject.',
});

export const workflowApprovalWithdrawn = ofWorkflow('withdrawn', {
  name: 'approval_withdrawn',
  summary: 'A workflow that awaited approval was changed, paused or archived',
});
