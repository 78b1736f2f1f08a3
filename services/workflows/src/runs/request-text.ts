import type { Step } from '../workflows/step.ts';
import type { Run } from './run.ts';
import { variantOf } from './variant-of.ts';

/** What the log says when a step requests its effect. */
export function requestText(step: Step, run: Run): string {
  switch (step.type) {
    case 'send':
      return sendText(variantOf(step, run));
    case 'add_tag':
      return `Adding the tag ${step.tag}.`;
    case 'remove_tag':
      return `Removing the tag ${step.tag}.`;
    case 'notify':
      return `Notifying ${step.user_id}.`;
    case 'add_to_segment':
      return `Adding the contact to ${step.segment_id}.`;
    case 'remove_from_segment':
      return `Removing the contact from ${step.segment_id}.`;
    case 'update_contact':
      return `Updating ${[...Object.keys(step.set), ...Object.keys(step.increment ?? {})].join(', ')}.`;
    case 'webhook':
      return `Calling ${step.method} ${step.url}`;
    case 'track_event':
      return `Tracking the event ${step.event}.`;
    case 'start_workflow':
      return `Starting ${step.workflow_id}.`;
    default:
      return '';
  }
}

function sendText({ step: { subject, template_id }, variant }: ReturnType<typeof variantOf>): string {
  const email = subject === undefined ? `the email of ${template_id}` : `the email "${subject}"`;
  return variant === undefined ? `Sending ${email}.` : `Sending the variant "${variant}": ${email}.`;
}
