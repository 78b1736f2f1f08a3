import { windowWords } from '../segments/rule-words.ts';
import { moment } from '../time/relative.ts';
import type { Workflow, WorkflowStep } from './workflows.ts';

const kinds: Record<WorkflowStep['type'], string> = {
  delay: 'Wait',
  branch: 'Decide',
  send: 'Send mail',
  update_contact: 'Change the contact',
  add_tag: 'Add a tag',
  remove_tag: 'Remove a tag',
  webhook: 'Call a webhook',
  exit: 'Leave',
};

/** What the step is called. */
export const stepName = (step: WorkflowStep) => step.name ?? kinds[step.type];

/** What the step does, in words. */
export function stepWords(step: WorkflowStep): string {
  if (step.type === 'delay') return step.for ? `Wait ${windowWords(step.for)}` : `Wait until ${step.until}`;
  if (step.type === 'branch') return 'Take the first path whose condition is so';
  if (step.type === 'send') return `Send “${step.subject}” from ${step.from.email}`;
  if (step.type === 'update_contact')
    return `Set ${Object.entries(step.set)
      .map(([field, value]) => `${field} to ${JSON.stringify(value)}`)
      .join(', ')}`;
  if (step.type === 'add_tag') return `Add the tag “${step.tag}”`;
  if (step.type === 'remove_tag') return `Remove the tag “${step.tag}”`;
  if (step.type === 'webhook') return `${step.method} ${step.url}`;
  return step.reason ? `Leave: ${step.reason}` : 'Leave the workflow';
}

/** What begins a run. */
export function triggerWords(trigger: Workflow['trigger'], named: (id: string) => string): string {
  if (trigger.type === 'manual') return 'When it is triggered';
  if (trigger.type === 'segment_entered') return `When somebody enters the segment ${named(trigger.segment_id)}`;
  if (trigger.type === 'segment_left') return `When somebody leaves the segment ${named(trigger.segment_id)}`;
  if (trigger.type === 'contact_created') return 'When a contact is created';
  if (trigger.type === 'contact_updated')
    return trigger.fields ? `When ${trigger.fields.join(' or ')} of a contact changes` : 'When a contact changes';
  return `When somebody does ${trigger.name}`;
}

export const entryWords: Record<Workflow['entry']['policy'], string> = {
  once: 'once, ever',
  after_exit: 'again, once they are through',
  every_time: 'every time, even while they are in it',
};

/** What the log says, with the step as it is called. The API begins each entry of a step with the step's id. */
export function logWords({ step_id, text }: { step_id: string | null; text: string }, steps: readonly WorkflowStep[]): string {
  const step = steps.find(({ id }) => id === step_id);
  const named = step && text.startsWith(`${step.id}: `) ? `${stepName(step)}: ${text.slice(step.id.length + 2)}` : text;
  return named.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => moment(at));
}
