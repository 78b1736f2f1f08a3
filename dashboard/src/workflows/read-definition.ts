import type { Definition } from './definition.ts';
import type { Workflow, WorkflowStep } from './workflows.ts';

/** What is wrong with JSON, and where; without a path, it is not JSON at all. */
export type JsonFault = { message: string; path?: readonly (string | number)[] };

type Read = { definition: Definition } | { fault: JsonFault };

/** Reads what can be drawn. The API checks the rest. Fields that are not known here are kept. */
export function readDefinition(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: { message: error instanceof Error ? error.message : String(error) } };
  }
  const fault = faultIn(value);
  if (fault) return { fault };
  return isDefinition(value) ? { definition: value } : { fault: { message: 'Expected an object with trigger and steps.', path: [] } };
}

const isDefinition = (value: unknown): value is Definition => faultIn(value) === undefined;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isOptional = (value: unknown, is: (value: unknown) => boolean) => value === undefined || is(value);

function faultIn(value: unknown): JsonFault | undefined {
  if (!isObject(value)) return { message: 'Expected an object with trigger and steps.', path: [] };
  const { trigger, steps, exit_when } = value;
  if (!isObject(trigger) || !isText(trigger.type)) return { message: 'Expected a trigger with a type.', path: ['trigger'] };
  const neededByTrigger = isTriggerType(trigger.type) ? triggerNeeds[trigger.type] : undefined;
  if (!neededByTrigger) return { message: `Unknown trigger type ${trigger.type}.`, path: ['trigger', 'type'] };
  const lacking = neededByTrigger.find((name) => !isText(trigger[name]));
  if (lacking) return { message: `A trigger of type ${trigger.type} needs ${lacking}.`, path: ['trigger'] };
  if (trigger.type === 'webhook_received' && !isObject(trigger.contact)) {
    return { message: 'A trigger of type webhook_received needs contact.', path: ['trigger'] };
  }
  if (!isOptional(trigger.fields, isTexts)) return { message: 'fields must be a list of names.', path: ['trigger', 'fields'] };
  if (!isOptional(exit_when, isOccurrences))
    return { message: 'exit_when must be a list of conditions, each with a type.', path: ['exit_when'] };
  if (!isOptional(value.entry, isObject)) return { message: 'entry must be an object with a policy.', path: ['entry'] };
  if (!Array.isArray(steps)) return { message: 'Expected a list of steps.', path: ['steps'] };
  for (const [index, step] of steps.entries()) {
    const path = ['steps', index];
    if (!isObject(step) || !isText(step.id)) return { message: 'A step needs an id.', path };
    if (!isStepType(step.type)) return { message: `The step ${step.id} has an unknown type.`, path: [...path, 'type'] };
    if (![step.next, step.else, step.on_timeout].every((to) => isOptional(to, (one) => one === null || isText(one)))) {
      return { message: `The step ${step.id} leads to something that is not an id.`, path };
    }
    if (!stepIsWhole[step.type](step)) return { message: `The step ${step.id} lacks a field of the type ${step.type}.`, path };
  }
  return undefined;
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isOccurrences = (any: unknown) => Array.isArray(any) && any.every((one) => isObject(one) && isText(one.type));

/** The fields that the words about a trigger need. */
const triggerNeeds: Record<Workflow['trigger']['type'], readonly string[]> = {
  manual: [],
  contact_created: [],
  contact_updated: [],
  segment_entered: ['segment_id'],
  segment_left: ['segment_id'],
  event: ['name'],
  message_opened: [],
  message_clicked: [],
  message_bounced: [],
  message_refused: [],
  form_submitted: [],
  form_confirmed: [],
  webhook_received: [],
  schedule: ['cron', 'segment_id'],
  date: ['field'],
};

const isTriggerType = (type: string): type is Workflow['trigger']['type'] => Object.hasOwn(triggerNeeds, type);

/** Whether a step of each type has the fields that cards and words need. */
const stepIsWhole: Record<WorkflowStep['type'], (step: Record<string, unknown>) => boolean> = {
  delay: ({ for: time, until, until_local: local, until_date: date }) =>
    isText(time) || isText(until) || (isObject(local) && isText(local.time)) || (isObject(date) && isText(date.field)),
  branch: ({ branches }) =>
    Array.isArray(branches) && branches.every((one) => isObject(one) && isText(one.to) && (isObject(one.when) || isObject(one.data))),
  wait_until: ({ any, timeout }) => isOccurrences(any) && isText(timeout),
  split: ({ paths }) =>
    Array.isArray(paths) && paths.every((one) => isObject(one) && typeof one.weight === 'number' && (one.to === null || isText(one.to))),
  goal: ({ any, within }) => isOccurrences(any) && isText(within),
  start_workflow: ({ workflow_id }) => isText(workflow_id),
  track_event: ({ event }) => isText(event),
  send: ({ subject, template_id, from }) => (isText(subject) || isText(template_id)) && isObject(from) && isText(from.email),
  update_contact: ({ set, increment }) => isOptional(set, isObject) && isOptional(increment, isObject),
  add_tag: ({ tag }) => isText(tag),
  remove_tag: ({ tag }) => isText(tag),
  add_to_segment: ({ segment_id }) => isText(segment_id),
  remove_from_segment: ({ segment_id }) => isText(segment_id),
  notify: ({ user_id, subject }) => isText(user_id) && isText(subject),
  webhook: ({ url }) => isText(url),
  exit: () => true,
};

const isStepType = (type: unknown): type is WorkflowStep['type'] => isText(type) && Object.hasOwn(stepIsWhole, type);
