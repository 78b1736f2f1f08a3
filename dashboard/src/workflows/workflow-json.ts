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
    { id: 'wait', name: 'Let them settle in', type: 'delay', for: 'P1D', next: 'greet' },
    {
      id: 'greet',
      name: 'Say hello',
      type: 'send',
      subject: 'Welcome, {{ contact.first_name }}',
      from: { email: 'news@example.com', name: 'News' },
      html: '<p>Hello {{ contact.first_name }}, good to have you.</p>',
      next: 'tag',
    },
    { id: 'tag', type: 'add_tag', tag: 'welcomed' },
  ],
};

type Read = { members: Readonly<Record<string, unknown>> } | { fault: string };

/** Parses the JSON to the fields of the request body. The API checks whether they are a valid workflow. */
export function readJson(text: string): Read {
  try {
    const members: unknown = JSON.parse(text);
    return isMembers(members) ? { members } : { fault: 'Expected an object with trigger and steps.' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Drawable = Pick<WrittenWorkflow, 'trigger' | 'steps'>;

/** Whether the definition is complete enough to be drawn. */
export function isDrawable(members: Readonly<Record<string, unknown>>): members is Readonly<Record<string, unknown>> & Drawable {
  const { trigger, steps } = members;
  return isMembers(trigger) && typeof trigger.type === 'string' && Array.isArray(steps) && steps.every(isDrawableStep);
}

const isText = (value: unknown) => typeof value === 'string';

/** Whether a step of each type has the fields that `stepWords` needs. */
const told: Record<WorkflowStep['type'], (step: Record<string, unknown>) => boolean> = {
  delay: ({ for: time, until }) => isText(time) || isText(until),
  branch: ({ branches }) => Array.isArray(branches) && branches.every((one) => isMembers(one) && isText(one.to) && isMembers(one.when)),
  send: ({ subject, from }) => isText(subject) && isMembers(from) && isText(from.email),
  update_contact: ({ set }) => isMembers(set),
  add_tag: ({ tag }) => isText(tag),
  remove_tag: ({ tag }) => isText(tag),
  webhook: ({ url }) => isText(url),
  exit: () => true,
};

const isKind = (type: unknown): type is WorkflowStep['type'] => typeof type === 'string' && Object.hasOwn(told, type);

const isDrawableStep = (step: unknown) => isMembers(step) && isText(step.id) && isKind(step.type) && told[step.type](step);
