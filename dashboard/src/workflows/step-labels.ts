import { fieldLabel } from '../contact-fields/field-labels.ts';
import { subjectInWords } from '../email-design/merge-fields.ts';
import { eventPhrase } from '../names/event-labels.ts';
import type { NameOf } from '../names/names.ts';
import { roughDuration } from '../numbers/format-number.ts';
import { conditionLabel, opLabels } from '../rules/rule-labels.ts';
import { durationLabel } from '../time/duration.ts';
import { moment } from '../time/relative.ts';
import { stepKinds } from './canvas/step-kinds.ts';
import { dayNames } from './day-names.ts';
import type { Workflow, WorkflowStep } from './workflows.ts';

/** The name of a step: its own, or that of its type. */
export const stepName = (step: WorkflowStep) => step.name || stepKinds[step.type].name;

/** How long runs took to reach a goal. */
export const goalTimeLabel = (seconds: { p50: number; p75: number; p90: number } | null | undefined): string | undefined =>
  seconds
    ? `half within ${roughDuration(seconds.p50)}, 75% within ${roughDuration(seconds.p75)}, 90% within ${roughDuration(seconds.p90)}`
    : undefined;

/** A step in words; `named` gives the name of a segment, template, workflow or user. */
export function stepLabel(step: WorkflowStep, named: NameOf): string {
  switch (step.type) {
    case 'delay':
      return delayLabel(step);
    case 'branch':
      return 'The first path that matches';
    case 'wait_until':
      return `${capital(step.any.map((one) => occurrenceLabel(one, named)).join(' or '))}, for up to ${durationLabel(step.timeout)}`;
    case 'split':
      return `${step.paths.length} paths at random`;
    case 'goal':
      return `${capital(step.any.map((one) => occurrenceLabel(one, named)).join(' or '))}, within ${durationLabel(step.within)} of the start`;
    case 'send':
      return sendLabel(step, named);
    case 'update_contact':
      return updateLabel(step);
    case 'add_tag':
      return `Add the tag “${step.tag}”`;
    case 'remove_tag':
      return `Remove the tag “${step.tag}”`;
    case 'add_to_segment':
      return named(step.segment_id);
    case 'remove_from_segment':
      return named(step.segment_id);
    case 'notify':
      return `“${subjectInWords(step.subject)}” to ${named(step.user_id)}`;
    case 'webhook':
      return `${step.method ?? 'POST'} ${step.url}`;
    case 'start_workflow':
      return named(step.workflow_id);
    case 'track_event':
      return eventPhrase(step.event);
    case 'exit':
      return step.reason ? step.reason : 'The run ends here';
  }
}

function sendLabel({ subject, template_id, variants }: WorkflowStep & { type: 'send' }, named: NameOf): string {
  const email = subject ? `“${subjectInWords(subject)}”` : template_id ? `The template ${named(template_id)}` : 'No email yet';
  return variants ? `${email}, in ${variants.length} variants` : email;
}

type Typed<Type> = WorkflowStep & { type: Type };

const capital = (words: string) => words.slice(0, 1).toUpperCase() + words.slice(1);

function delayLabel({ for: length, until, until_local: local, until_date: date }: Typed<'delay'>): string {
  if (length !== undefined) return durationLabel(length);
  if (local)
    return `Until ${local.time}${local.weekdays ? ` on ${local.weekdays.map((day) => dayNames[day]).join(', ')}` : ''}, local time`;
  if (date) return `${offsetLabel(date.offset)}${fieldLabel(date.field)}`;
  return until ? `Until ${moment(until)}` : 'Until a time';
}

/** "Until ", or "3 days before ". */
function offsetLabel(offset: string | undefined): string {
  if (!offset || !/[1-9]/.test(offset)) return 'Until ';
  return `Until ${durationLabel(offset.replace(/^[+-]/, ''))} ${offset.startsWith('-') ? 'before' : 'after'} `;
}

export const updateLabel = ({ set = {}, increment = {} }: Pick<Typed<'update_contact'>, 'set' | 'increment'>): string =>
  [
    ...Object.entries(set).map(([field, value]) => `Set ${fieldLabel(field)} to ${shortJson(value)}`),
    ...Object.entries(increment).map(([field, by]) => `Add ${by} to ${fieldLabel(field)}`),
  ].join(', ');

const shortJson = (value: unknown) => (typeof value === 'string' ? `“${value}”` : JSON.stringify(value));

type Occurrence = Typed<'wait_until'>['any'][number];

export function occurrenceLabel(occurrence: Occurrence, named: NameOf): string {
  switch (occurrence.type) {
    case 'event':
      return `${eventPhrase(occurrence.name)} happens`;
    case 'segment_entered':
      return `the contact is in ${named(occurrence.segment_id)}`;
    case 'segment_left':
      return `the contact is not in ${named(occurrence.segment_id)}`;
    case 'field':
      return ruleLine(occurrence.when, named);
    case 'message_opened':
      return 'an email is opened';
    case 'message_clicked':
      return 'a link is clicked';
    case 'form_submitted':
      return `${formLabel(occurrence, named)} is submitted`;
    case 'form_confirmed':
      return `${formLabel(occurrence, named)} is confirmed`;
    case 'unsubscribed':
      return 'the contact unsubscribes';
  }
}

export const formLabel = ({ form_id }: { form_id?: string }, named: NameOf) =>
  form_id === undefined ? 'a form' : `the form ${named(form_id)}`;

type Rule = NonNullable<Typed<'branch'>['branches'][number]['when']>;

/** A rule on one line. */
export function ruleLine(rule: Rule, named: NameOf): string {
  const inside = (part: Rule) => ('all' in part || 'any' in part ? `(${ruleLine(part, named)})` : ruleLine(part, named));
  if ('all' in rule) return rule.all.length === 1 && rule.all[0] ? ruleLine(rule.all[0], named) : rule.all.map(inside).join(' and ');
  if ('any' in rule) return rule.any.map(inside).join(' or ');
  if ('not' in rule) return `not ${inside(rule.not)}`;
  return conditionLabel(rule, named);
}

/** Conditions on the data of a run on one line. */
const dataLine = (data: Readonly<Record<string, unknown>>) =>
  Object.entries(data)
    .map(([name, test]) => {
      const tests = typeof test === 'object' && test !== null ? Object.entries(test) : [['eq', test] as const];
      return `${name.replace(/^(data|responses)\./, '')} ${tests.map(([op, value]) => `${opLabels[op] ?? op} ${shortJson(value)}`).join(' and ')}`;
    })
    .join(' and ');

/** What leads to each lane of a step with several paths. */
export function pathLabel(step: WorkflowStep, path: number, named: NameOf): string {
  if (step.type === 'wait_until') return path === 0 ? 'When it happens' : `After ${durationLabel(step.timeout)}`;
  if (step.type === 'branch') {
    const { when, data } = step.branches[path] ?? {};
    return when ? ruleLine(when, named) : data ? dataLine(data) : 'Otherwise';
  }
  if (step.type !== 'split') return '';
  const total = step.paths.reduce((sum, { weight }) => sum + weight, 0);
  return `${Math.round(((step.paths[path]?.weight ?? 0) / Math.max(1, total)) * 100)}%`;
}

export const entryLabels: Record<Workflow['entry']['policy'], string> = {
  once: 'Each contact enters once',
  after_exit: 'Contacts can re-enter after they exit',
  every_time: 'Contacts can enter any number of times',
};

/** The text of a log entry, with the step's name instead of its ID, which the API puts at the start, and local times. */
export function logLabel({ step_id, text }: { step_id: string | null; text: string }, steps: readonly WorkflowStep[]): string {
  const step = steps.find(({ id }) => id === step_id);
  const named = step && text.startsWith(`${step.id}: `) ? `${stepName(step)}: ${text.slice(step.id.length + 2)}` : text;
  return named.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => moment(at));
}
