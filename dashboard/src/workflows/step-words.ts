import { windowWords } from '../segments/rule-words.ts';
import { moment } from '../time/relative.ts';
import type { Workflow, WorkflowStep } from './workflows.ts';

const kinds: Record<WorkflowStep['type'], string> = {
  delay: 'Wait',
  branch: 'Branch',
  send: 'Send email',
  update_contact: 'Update contact',
  add_tag: 'Add tag',
  remove_tag: 'Remove tag',
  webhook: 'Call webhook',
  exit: 'Exit',
};

/** The name of a step: its own, or that of its type. */
export const stepName = (step: WorkflowStep) => step.name ?? kinds[step.type];

/** A step in words. */
export function stepWords(step: WorkflowStep): string {
  if (step.type === 'delay') return step.for ? `Wait ${windowWords(step.for)}` : `Wait until ${step.until}`;
  if (step.type === 'branch') return 'Take the first matching branch';
  if (step.type === 'send') return `Send “${step.subject}” from ${step.from.email}`;
  if (step.type === 'update_contact')
    return `Set ${Object.entries(step.set)
      .map(([field, value]) => `${field} to ${JSON.stringify(value)}`)
      .join(', ')}`;
  if (step.type === 'add_tag') return `Add the tag “${step.tag}”`;
  if (step.type === 'remove_tag') return `Remove the tag “${step.tag}”`;
  if (step.type === 'webhook') return `${step.method} ${step.url}`;
  return step.reason ? `Exit: ${step.reason}` : 'Exit the workflow';
}

/** A trigger in words. */
export function triggerWords(trigger: Workflow['trigger'], named: (id: string) => string): string {
  if (trigger.type === 'manual') return 'When triggered manually';
  if (trigger.type === 'segment_entered') return `When a contact enters the segment ${named(trigger.segment_id)}`;
  if (trigger.type === 'segment_left') return `When a contact leaves the segment ${named(trigger.segment_id)}`;
  if (trigger.type === 'contact_created') return 'When a contact is created';
  if (trigger.type === 'contact_updated')
    return trigger.fields ? `When a contact’s ${trigger.fields.join(' or ')} changes` : 'When a contact is updated';
  return `When a contact does ${trigger.name}`;
}

export const entryWords: Record<Workflow['entry']['policy'], string> = {
  once: 'Each contact enters once',
  after_exit: 'Contacts can re-enter after they exit',
  every_time: 'Contacts can enter any number of times',
};

/** The text of a log entry, with the step's name instead of its ID, which the API puts at the start, and local times. */
export function logWords({ step_id, text }: { step_id: string | null; text: string }, steps: readonly WorkflowStep[]): string {
  const step = steps.find(({ id }) => id === step_id);
  const named = step && text.startsWith(`${step.id}: `) ? `${stepName(step)}: ${text.slice(step.id.length + 2)}` : text;
  return named.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => moment(at));
}
