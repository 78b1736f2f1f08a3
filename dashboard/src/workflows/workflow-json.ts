import type { WorkflowStep, WrittenWorkflow } from './workflows.ts';

/** The behavior of a workflow, without its name and description. */
export type Definition = Pick<WrittenWorkflow, 'trigger' | 'entry' | 'on_error' | 'steps'>;

/** The definition as JSON for the editor. */
export const jsonOf = ({ trigger, entry, on_error, steps }: Definition) => JSON.stringify({ trigger, entry, on_error, steps }, null, 2);

/** The initial definition of a new workflow. */
export const firstDefinition: Definition = {
  trigger: { type: 'contact_created' },
  entry: { policy: 'once' },
  on_error: 'continue',
  steps: [
    { id: 'wait', name: 'Wait a day', type: 'delay', for: 'P1D', next: 'greet' },
    {
      id: 'greet',
      name: 'Say hello',
      type: 'send',
      subject: 'Welcome, {{ contact.first_name }}',
      from: { email: 'news@example.com', name: 'News' },
      html: '<p>Hello {{ contact.first_name }}, welcome!</p>',
      next: 'tag',
    },
    { id: 'tag', type: 'add_tag', tag: 'welcomed' },
  ],
};

type Read = { fields: Readonly<Record<string, unknown>> } | { fault: string };

/** Parses the JSON to the fields of the request body. The API checks whether they are a valid workflow. */
export function readJson(text: string): Read {
  try {
    const fields: unknown = JSON.parse(text);
    return isObject(fields) ? { fields } : { fault: 'Expected an object with trigger and steps.' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

type Drawable = Pick<WrittenWorkflow, 'trigger' | 'steps'>;

/** Whether the definition is complete enough to be drawn. */
export function isDrawable(fields: Readonly<Record<string, unknown>>): fields is Readonly<Record<string, unknown>> & Drawable {
  const { trigger, steps } = fields;
  return isObject(trigger) && typeof trigger.type === 'string' && Array.isArray(steps) && steps.every(isDrawableStep);
}

const isText = (value: unknown) => typeof value === 'string';

const isOccurrences = (any: unknown) => Array.isArray(any) && any.every((one) => isObject(one) && isText(one.type));

/** Whether a step of each type has the fields that `stepWords` needs. */
const completeness: Record<WorkflowStep['type'], (step: Record<string, unknown>) => boolean> = {
  delay: ({ for: time, until, until_local: local, until_date: date }) =>
    isText(time) || isText(until) || (isObject(local) && isText(local.time)) || (isObject(date) && isText(date.field)),
  branch: ({ branches }) =>
    Array.isArray(branches) && branches.every((one) => isObject(one) && isText(one.to) && (isObject(one.when) || isObject(one.data))),
  wait_until: ({ any, timeout }) => isOccurrences(any) && isText(timeout),
  split: ({ paths }) => Array.isArray(paths) && paths.every((one) => isObject(one) && typeof one.weight === 'number'),
  goal: ({ any, within }) => isOccurrences(any) && isText(within),
  start_workflow: ({ workflow_id }) => isText(workflow_id),
  track_event: ({ event }) => isText(event),
  send: ({ subject, template_id, from }) => (isText(subject) || isText(template_id)) && isObject(from) && isText(from.email),
  update_contact: ({ set, increment }) => isObject(set) || isObject(increment),
  add_tag: ({ tag }) => isText(tag),
  remove_tag: ({ tag }) => isText(tag),
  add_to_segment: ({ segment_id }) => isText(segment_id),
  remove_from_segment: ({ segment_id }) => isText(segment_id),
  notify: ({ user_id, subject }) => isText(user_id) && isText(subject),
  webhook: ({ url }) => isText(url),
  exit: () => true,
};

const isKind = (type: unknown): type is WorkflowStep['type'] => typeof type === 'string' && Object.hasOwn(completeness, type);

const isDrawableStep = (step: unknown) => isObject(step) && isText(step.id) && isKind(step.type) && completeness[step.type](step);
