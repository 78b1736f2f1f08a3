import {
  IconActivity,
  IconArrowsSplit,
  IconBell,
  IconClock,
  IconDoorExit,
  IconEdit,
  IconGitBranch,
  IconHourglass,
  IconMail,
  IconPlayerPlay,
  IconTag,
  IconTagOff,
  IconTarget,
  IconUserMinus,
  IconUserPlus,
  IconWebhook,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { DefaultSender } from '../../sending/sending-settings.ts';
import type { Definition } from '../definition.ts';
import { freeId } from '../edits/step-edits.ts';
import type { WorkflowStep } from '../workflows.ts';

export type StepType = WorkflowStep['type'];

type Icon = ComponentType<{ size: number; 'aria-hidden': true }>;
type Kind = { name: string; means: string; group: 'Message' | 'Flow' | 'Contact' | 'Connect'; icon: Icon };

/** What the dashboard says about each type of step, in the order in which it offers them. */
export const stepKinds: Readonly<Record<StepType, Kind>> = {
  send: { name: 'Send email', means: 'Send an email to the contact', group: 'Message', icon: IconMail },
  notify: { name: 'Notify user', means: 'Email someone on your team', group: 'Message', icon: IconBell },
  delay: { name: 'Wait', means: 'For some time, or until a time or date', group: 'Flow', icon: IconClock },
  wait_until: { name: 'Wait until', means: 'Until something happens, or time runs out', group: 'Flow', icon: IconHourglass },
  branch: { name: 'Branch', means: 'Take the first path whose conditions match', group: 'Flow', icon: IconGitBranch },
  split: { name: 'Split', means: 'Divide contacts at random', group: 'Flow', icon: IconArrowsSplit },
  goal: { name: 'Goal', means: 'End as converted when something happens', group: 'Flow', icon: IconTarget },
  exit: { name: 'Exit', means: 'End the run here', group: 'Flow', icon: IconDoorExit },
  add_tag: { name: 'Add tag', means: 'Tag the contact', group: 'Contact', icon: IconTag },
  remove_tag: { name: 'Remove tag', means: 'Remove a tag from the contact', group: 'Contact', icon: IconTagOff },
  update_contact: { name: 'Update contact', means: 'Set fields and attributes', group: 'Contact', icon: IconEdit },
  add_to_segment: { name: 'Add to segment', means: 'Add the contact to a static segment', group: 'Contact', icon: IconUserPlus },
  remove_from_segment: {
    name: 'Remove from segment',
    means: 'Remove the contact from a static segment',
    group: 'Contact',
    icon: IconUserMinus,
  },
  webhook: { name: 'Call webhook', means: 'Send a request to another system', group: 'Connect', icon: IconWebhook },
  track_event: { name: 'Track event', means: 'Record an event for the contact', group: 'Connect', icon: IconActivity },
  start_workflow: { name: 'Start workflow', means: 'Enroll the contact in another workflow', group: 'Connect', icon: IconPlayerPlay },
};

export const isStepType = (type: string): type is StepType => Object.hasOwn(stepKinds, type);
export const stepTypes = Object.keys(stepKinds).filter(isStepType);

/**
 * A new step with the values that most steps of its type have: what waits after an email waits until it is opened. Its paths lead nowhere yet. Emails of one workflow have one sender, the
 * first of them that of the account.
 */
export function newStep(
  definition: Definition,
  type: StepType,
  { sender = null, after = null }: { sender?: DefaultSender | null | undefined; after?: string | null } = {},
): WorkflowStep {
  const id = freeId(definition, type);
  switch (type) {
    case 'delay':
      return { id, type, for: 'P1D' };
    case 'branch':
      return { id, type, branches: [{ when: { field: 'tags', op: 'contains', value: '' }, to: id }] };
    case 'wait_until':
      return { id, type, any: [sentBy(definition, after) ?? { type: 'event', name: '' }], timeout: 'P3D' };
    case 'split':
      return {
        id,
        type,
        paths: [
          { weight: 1, to: null },
          { weight: 1, to: null },
        ],
      };
    case 'goal':
      return { id, type, any: [{ type: 'event', name: '' }], within: 'P30D' };
    case 'send': {
      const [same] = definition.steps.flatMap((step) => (step.type === 'send' ? [step] : []));
      const { from, reply_to } = same ?? (sender ? { from: { email: sender.email, name: sender.name }, reply_to: sender.reply_to } : {});
      return { id, type, template_id: '', from: from ?? { email: '' }, ...(reply_to && { reply_to }) };
    }
    case 'update_contact':
      return { id, type, set: {} };
    case 'add_tag':
    case 'remove_tag':
      return { id, type, tag: '' };
    case 'add_to_segment':
    case 'remove_from_segment':
      return { id, type, segment_id: '' };
    case 'notify':
      return { id, type, user_id: '', subject: '', text: '' };
    case 'webhook':
      return { id, type, url: '', method: 'POST', headers: {} };
    case 'start_workflow':
      return { id, type, workflow_id: '', data: {} };
    case 'track_event':
      return { id, type, event: '', properties: {} };
    case 'exit':
      return { id, type };
  }
}

/** That the email of the step before is opened; undefined if that step sends none. */
function sentBy({ steps }: Definition, after: string | null) {
  const before = steps.find(({ id }) => id === after);
  return before?.type === 'send' ? { type: 'message_opened' as const, step_id: before.id } : undefined;
}
