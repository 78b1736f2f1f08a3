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
  add_to_segment: 'Add to segment',
  remove_from_segment: 'Remove from segment',
  notify: 'Notify user',
  webhook: 'Call webhook',
  wait_until: 'Wait until',
  split: 'Split',
  goal: 'Goal',
  start_workflow: 'Start workflow',
  track_event: 'Track event',
  exit: 'Exit',
};

/** The name of a step: its own, or that of its type. */
export const stepName = (step: WorkflowStep) => step.name ?? kinds[step.type];

/** A step in words; `named` gives the name of a segment. */
export function stepWords(step: WorkflowStep, named: (id: string) => string): string {
  switch (step.type) {
    case 'delay':
      return delayWords(step);
    case 'branch':
      return 'Take the first matching branch';
    case 'wait_until':
      return `Wait up to ${windowWords(step.timeout)} until ${step.any.map(occurrenceWords).join(' or ')}`;
    case 'split':
      return 'Split contacts at random; each contact always takes the same path';
    case 'goal':
      return `Within ${windowWords(step.within)} of the start: ${step.any.map(occurrenceWords).join(' or ')}`;
    case 'send':
      return `Send ${step.subject ? `“${step.subject}”` : `the template ${step.template_id}`} from ${step.from.email}`;
    case 'update_contact':
      return updateWords(step);
    case 'add_tag':
      return `Add the tag “${step.tag}”`;
    case 'remove_tag':
      return `Remove the tag “${step.tag}”`;
    case 'add_to_segment':
      return `Add the contact to the segment ${named(step.segment_id)}`;
    case 'remove_from_segment':
      return `Remove the contact from the segment ${named(step.segment_id)}`;
    case 'notify':
      return `Email “${step.subject}” to ${step.user_id}`;
    case 'webhook':
      return `${step.method} ${step.url}`;
    case 'start_workflow':
      return `Start the workflow ${step.workflow_id}`;
    case 'track_event':
      return `Track the event ${step.event}`;
    case 'exit':
      return step.reason ? `Exit: ${step.reason}` : 'Exit the workflow';
  }
}

type Typed<Type> = WorkflowStep & { type: Type };

function delayWords({ for: length, until, until_local: local, until_date: date }: Typed<'delay'>): string {
  if (length) return `Wait ${windowWords(length)}`;
  if (local) return `Wait until ${local.time}${local.weekdays ? ` on ${local.weekdays.join(', ')}` : ''}, local time`;
  return date ? `Wait until the contact’s ${date.field}` : `Wait until ${until}`;
}

const updateWords = ({ set = {}, increment = {} }: Typed<'update_contact'>): string =>
  [
    ...Object.entries(set).map(([field, value]) => `Set ${field} to ${JSON.stringify(value)}`),
    ...Object.entries(increment).map(([field, by]) => `Add ${by} to ${field}`),
  ].join(', ');

function occurrenceWords(occurrence: Typed<'wait_until'>['any'][number]): string {
  switch (occurrence.type) {
    case 'event':
      return `the event ${occurrence.name}`;
    case 'segment_entered':
      return 'the contact is in a segment';
    case 'segment_left':
      return 'the contact is not in a segment';
    case 'field':
      return 'the contact’s data matches a condition';
    case 'message_opened':
      return 'an email is opened';
    case 'message_clicked':
      return 'a link is clicked';
    case 'unsubscribed':
      return 'the contact unsubscribes';
  }
}

/** What leads to the path of a step at this index, for steps other than branches. */
export function pathWords(step: WorkflowStep, index: number): string {
  if (step.type === 'wait_until') return index === 0 ? 'When it happens' : `After ${windowWords(step.timeout)}`;
  if (step.type !== 'split') return 'Otherwise';
  const total = step.paths.reduce((sum, { weight }) => sum + weight, 0);
  return `${Math.round(((step.paths[index]?.weight ?? 0) / total) * 100)}%`;
}

/** A trigger in words. */
export function triggerWords(trigger: Workflow['trigger'], named: (id: string) => string): string {
  switch (trigger.type) {
    case 'manual':
      return 'When triggered manually';
    case 'segment_entered':
      return `When a contact enters the segment ${named(trigger.segment_id)}`;
    case 'segment_left':
      return `When a contact leaves the segment ${named(trigger.segment_id)}`;
    case 'contact_created':
      return 'When a contact is created';
    case 'contact_updated':
      return trigger.fields ? `When a contact’s ${trigger.fields.join(' or ')} changes` : 'When a contact is updated';
    case 'event':
      return `When the event ${trigger.name} is tracked for a contact`;
    case 'message_opened':
      return 'When an email is opened';
    case 'message_clicked':
      return 'When a link in an email is clicked';
    case 'message_bounced':
      return 'When an email bounces';
    case 'schedule':
      return `On the schedule ${trigger.cron} (${trigger.timezone}), for each contact in the segment ${named(trigger.segment_id)}`;
    case 'date':
      return `On each contact’s ${trigger.field}${trigger.yearly ? ', every year' : ''}, at ${trigger.time} local time`;
  }
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
