import { ApiError } from '@mp/contracts/errors';

export const campaignStatuses = [
  'draft',
  'awaiting_approval',
  'scheduled',
  'freezing',
  'sending',
  'paused',
  'sent',
  'cancelled',
  'failed',
] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

type Transition = { from: readonly CampaignStatus[]; to: CampaignStatus };

/** All transitions between the states of a campaign. */
export const transitions = {
  request_approval: { from: ['draft', 'scheduled', 'failed'], to: 'awaiting_approval' },
  schedule: { from: ['draft', 'failed', 'awaiting_approval'], to: 'scheduled' },
  unschedule: { from: ['scheduled', 'awaiting_approval'], to: 'draft' },
  send: { from: ['draft', 'scheduled', 'failed', 'awaiting_approval'], to: 'freezing' },
  begin: { from: ['freezing'], to: 'sending' },
  pause: { from: ['sending'], to: 'paused' },
  resume: { from: ['paused'], to: 'sending' },
  finish: { from: ['sending'], to: 'sent' },
  reopen: { from: ['sent', 'sending'], to: 'sending' },
  requeue: { from: ['paused'], to: 'paused' },
  cancel: { from: ['scheduled', 'freezing', 'sending', 'paused'], to: 'cancelled' },
  fail: { from: ['freezing'], to: 'failed' },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** The states in which a request can send or schedule a campaign. Only an approval does so with one that awaits it. */
export const sendableFrom = (name: 'send' | 'schedule'): readonly CampaignStatus[] =>
  transitions[name].from.filter((status) => status !== 'awaiting_approval');

/** The states in which a campaign can be changed. */
export const editableStatuses = ['draft', 'failed'] as const satisfies CampaignStatus[];
export const isEditable = (status: CampaignStatus) => editableStatuses.some((one) => one === status);

/** The states in which the content of a campaign can never change again. A freeze can still fail, and be corrected. */
export const finalStatuses = ['sending', 'paused', 'sent', 'cancelled'] as const satisfies CampaignStatus[];
export const hasFinalContent = (status: CampaignStatus) => finalStatuses.some((one) => one === status);

/** Whether a campaign in this state still needs the segments of its audience. */
export const usesSegments = (status: CampaignStatus) => ['draft', 'awaiting_approval', 'scheduled', 'freezing'].includes(status);

/** The work that a background worker does for a campaign in each state. */
export const workOf = {
  draft: null,
  awaiting_approval: null,
  scheduled: 'start',
  freezing: 'freeze',
  sending: 'send',
  paused: null,
  sent: null,
  cancelled: 'settle',
  failed: 'discard',
} as const satisfies Record<CampaignStatus, string | null>;

export type Work = Exclude<(typeof workOf)[CampaignStatus], null>;

export const allowed = (name: TransitionName, status: CampaignStatus) => transitions[name].from.some((from) => from === status);

/** The error for a transition that the current state does not allow. */
export const invalidState = (action: string, status: CampaignStatus, allowedIn: readonly CampaignStatus[]) =>
  new ApiError('INVALID_STATE', `A campaign with status ${status} cannot be ${action}; the status must be ${allowedIn.join(' or ')}.`, {
    details: [{ path: '/status', code: 'invalid_state', message: `The status is ${status}.`, status, allowed_in: [...allowedIn] }],
  });
