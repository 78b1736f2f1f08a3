import type { Definition } from '../definition.ts';
import { slotsOf, stepOf, targetOf } from '../edits/graph.ts';
import { endlessStep } from '../edits/loops.ts';
import type { WorkflowStep } from '../workflows.ts';

/** What is wrong with a step or the trigger. `path` is that of the field in it, as in the errors of the API. */
export type Problem = { path: string; message: string };

/** Problems by step; those of the trigger are at `trigger`, those of the whole at the empty string. */
export type Problems = ReadonlyMap<string, readonly Problem[]>;

export const triggerProblems = 'trigger';

/** What the API would reject, as far as it is known here. */
export function problemsOf(definition: Definition): Problems {
  const found = new Map<string, Problem[]>();
  const add = (at: string, ...problems: Problem[]) => {
    if (problems.length > 0) found.set(at, [...(found.get(at) ?? []), ...problems]);
  };
  add(triggerProblems, ...inTrigger(definition.trigger));
  add(
    triggerProblems,
    ...(definition.exit_when ?? []).flatMap((one, index) =>
      inOccurrence(one, definition).map((rest) => below(`/exit_when/${index}`, rest)),
    ),
  );
  const { max_concurrent: limit = null } = definition;
  if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > 10_000)) {
    add(triggerProblems, { path: '/max_concurrent', message: 'Enter a whole number from 1 to 10,000, or leave it empty.' });
  }
  if (definition.steps.length === 0) add('', { path: '', message: 'Add a step.' });
  for (const step of definition.steps) add(step.id, ...inStep(step, definition));
  for (const [id, problems] of graphProblems(definition)) add(id, ...problems);
  return found;
}

/** What is wrong between steps: repeated IDs, paths to no step, steps that no run reaches, and endless loops. */
export function graphProblems(definition: Pick<Definition, 'steps'>): Problems {
  const { steps } = definition;
  const found = new Map<string, Problem[]>();
  const add = (id: string, message: string) => found.set(id, [...(found.get(id) ?? []), { path: '', message }]);
  const known = new Set<string>();
  for (const { id } of steps) {
    if (known.has(id)) add(id, `Another step has the ID ${id}.`);
    known.add(id);
  }
  const targets = slotsOf(definition).map((slot) => ({ from: slot.from, to: targetOf(definition, slot) }));
  for (const { from, to } of targets) {
    if (from !== null && to !== null && !known.has(to)) add(from, `It leads to ${to}, which does not exist.`);
  }
  const reached = new Set<string>();
  const reach = (id: string | null) => {
    for (const open = [id]; open.length > 0; ) {
      const at = open.pop() ?? null;
      if (at === null || reached.has(at)) continue;
      reached.add(at);
      open.push(...targets.filter(({ from }) => from === at).map(({ to }) => to));
    }
  };
  reach(steps[0]?.id ?? null);
  for (const { id } of steps) if (!reached.has(id)) add(id, 'No step leads here.');
  const endless = endlessStep(definition);
  if (endless !== undefined) add(endless, 'Runs would loop back here without waiting. Add a wait to the loop.');
  return found;
}

const below = (prefix: string, { path, message }: Problem): Problem => ({ path: prefix + path, message });
const blank = (text: string | null | undefined) => text === undefined || text === null || text.trim() === '';
const needed = (text: string | null | undefined, path: string, message: string): Problem[] => (blank(text) ? [{ path, message }] : []);

const isEmail = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
const email = (text: string | null | undefined, path: string, message = 'Enter an email address.'): Problem[] =>
  !blank(text) && isEmail(text ?? '') ? [] : [{ path, message }];

function inTrigger(trigger: Definition['trigger']): Problem[] {
  switch (trigger.type) {
    case 'segment_entered':
    case 'segment_left':
      return [...needed(trigger.segment_id, '/segment_id', 'Choose a segment.'), ...inCondition(trigger.when)];
    case 'message_opened':
    case 'message_bounced':
    case 'message_refused':
    case 'form_submitted':
    case 'form_confirmed':
      return inCondition(trigger.when);
    case 'message_clicked':
      return [
        ...(trigger.url === undefined || /^https?:\/\/\S+$/.test(trigger.url)
          ? []
          : [{ path: '/url', message: 'Enter a URL that starts with https://.' }]),
        ...inCondition(trigger.when),
      ];
    case 'event':
      return [...needed(trigger.name, '/name', 'Choose an event.'), ...inWhere(trigger.where)];
    case 'schedule':
      return [
        ...needed(trigger.segment_id, '/segment_id', 'Choose a segment.'),
        ...needed(trigger.cron, '/cron', 'Choose when it starts.'),
      ];
    case 'webhook_received':
      return [trigger.contact.email, trigger.contact.contact_id].some((pointer) => /^(\/[^/]+)+$/.test(pointer ?? ''))
        ? []
        : [{ path: '/contact', message: 'Enter where the body names the contact, such as /customer/email.' }];
    case 'date':
      return trigger.field === 'attributes.'
        ? [{ path: '/field', message: 'Choose a date.' }]
        : needed(trigger.field, '/field', 'Choose a date.');
    default:
      return [];
  }
}

const inCondition = (when: unknown): Problem[] => (when === undefined ? [] : inRule(when, '/when'));

const inWhere = (where: Readonly<Record<string, unknown>> | undefined, at = '/where'): Problem[] =>
  Object.entries(where ?? {}).some(([name, test]) => /^properties\.\s*$/.test(name) || name.trim() === '' || test === '')
    ? [{ path: at, message: 'Complete the condition, or remove it.' }]
    : [];

type Occurrence = NonNullable<Definition['exit_when']>[number];

function inOccurrence(occurrence: Occurrence, definition: Pick<Definition, 'steps'>): Problem[] {
  switch (occurrence.type) {
    case 'event':
      return [...needed(occurrence.name, '/name', 'Choose an event.'), ...inWhere(occurrence.where)];
    case 'segment_entered':
    case 'segment_left':
      return needed(occurrence.segment_id, '/segment_id', 'Choose a segment.');
    case 'field':
      return inRule(occurrence.when, '/when');
    case 'message_opened':
    case 'message_clicked': {
      const { step_id } = occurrence;
      const isKnown = step_id === undefined || stepOf(definition, step_id)?.type === 'send';
      return isKnown ? [] : [{ path: '/step_id', message: 'Choose an email of this workflow.' }];
    }
    default:
      return [];
  }
}

/** Whether a rule has a condition that was not filled in. */
function inRule(rule: unknown, path: string): Problem[] {
  const isOpen = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return true;
    if ('all' in part && Array.isArray(part.all)) return part.all.length === 0 || part.all.some(isOpen);
    if ('any' in part && Array.isArray(part.any)) return part.any.length === 0 || part.any.some(isOpen);
    if ('not' in part) return isOpen(part.not);
    if ('field' in part) return part.field === 'attributes.' || ('value' in part && (part.value === '' || isEmptyList(part.value)));
    if ('date' in part) return part.date === 'attributes.' || ('value' in part && part.value === '');
    if ('segment' in part) return part.segment === '';
    return 'event' in part && part.event === '';
  };
  return isOpen(rule) ? [{ path, message: 'Complete the conditions.' }] : [];
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

function inStep(step: WorkflowStep, definition: Pick<Definition, 'steps'>): Problem[] {
  switch (step.type) {
    case 'delay':
      return inDelay(step);
    case 'branch':
      return step.branches.flatMap(({ when, data }, index) =>
        data ? inWhere(data, `/branches/${index}/data`) : inRule(when, `/branches/${index}/when`),
      );
    case 'wait_until':
    case 'goal':
      return [
        ...(step.any.length === 0 ? [{ path: '/any', message: 'Choose what it waits for.' }] : []),
        ...step.any.flatMap((one, index) => inOccurrence(one, definition).map((problem) => below(`/any/${index}`, problem))),
        ...(step.type === 'goal' ? duration(step.within, '/within') : duration(step.timeout, '/timeout')),
      ];
    case 'split':
      return step.paths.some(({ weight }) => !Number.isInteger(weight) || weight < 1 || weight > 1_000)
        ? [{ path: '/paths', message: 'A weight is a whole number from 1 to 1,000.' }]
        : [];
    case 'send':
      return [
        ...(step.template_id === undefined
          ? [...needed(step.subject, '/subject', 'Write a subject.'), ...needed(step.html, '/html', 'Write the email.')]
          : needed(step.template_id, '/template_id', 'Choose a template.')),
        ...email(step.from.email, '/from/email', 'Enter the address that the email is from.'),
        ...(blank(step.reply_to) ? [] : email(step.reply_to, '/reply_to')),
        ...inVariants(step),
      ];
    case 'update_contact':
      return Object.keys({ ...step.set, ...step.increment }).filter((name) => name.trim() !== '').length === 0
        ? [{ path: '/set', message: 'Add a field to change.' }]
        : [];
    case 'add_tag':
    case 'remove_tag':
      return needed(step.tag, '/tag', 'Enter a tag.');
    case 'add_to_segment':
    case 'remove_from_segment':
      return needed(step.segment_id, '/segment_id', 'Choose a segment.');
    case 'notify':
      return [
        ...needed(step.user_id, '/user_id', 'Choose who gets the email.'),
        ...needed(step.subject, '/subject', 'Write a subject.'),
        ...needed(step.text, '/text', 'Write the text.'),
      ];
    case 'webhook':
      return /^https?:\/\/\S+$/.test(step.url) ? [] : [{ path: '/url', message: 'Enter a URL that starts with https://.' }];
    case 'start_workflow':
      return needed(step.workflow_id, '/workflow_id', 'Choose a workflow.');
    case 'track_event':
      return needed(step.event, '/event', 'Enter the name of the event.');
    case 'exit':
      return [];
  }
}

function inVariants({ variants = [], subject }: WorkflowStep & { type: 'send' }): Problem[] {
  if (variants.length === 0) return [];
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  return [
    ...variants.flatMap(({ name, template_id, html, subject: own }, index) =>
      [
        ...needed(name, '/name', 'Enter a name.'),
        ...(variants.findIndex((one) => one.name === name) < index ? [{ path: '/name', message: 'Another variant has this name.' }] : []),
        ...(template_id === undefined ? [] : needed(template_id, '/template_id', 'Choose a template.')),
        ...(html === undefined
          ? []
          : [...needed(html, '/html', 'Write the email.'), ...needed(own ?? subject, '/subject', 'Write a subject.')]),
      ].map((problem) => below(`/variants/${index}`, problem)),
    ),
    ...(sum === 100 ? [] : [{ path: '/variants', message: `The percentages add up to ${sum}; they must add up to 100.` }]),
  ];
}

const duration = (text: string | undefined, path: string): Problem[] =>
  text !== undefined && /^P(?=\d|T\d)/.test(text) && /[1-9]/.test(text) ? [] : [{ path, message: 'Enter a time longer than zero.' }];

function inDelay({ for: length, until, until_local: local, until_date: date }: WorkflowStep & { type: 'delay' }): Problem[] {
  if (length !== undefined) return duration(length, '/for');
  if (until !== undefined) return Number.isNaN(Date.parse(until)) ? [{ path: '/until', message: 'Choose a day and time.' }] : [];
  if (local) return /^\d\d:\d\d$/.test(local.time) ? [] : [{ path: '/until_local/time', message: 'Choose a time.' }];
  return blank(date?.field) || date?.field === 'attributes.' ? [{ path: '/until_date/field', message: 'Choose a date.' }] : [];
}
