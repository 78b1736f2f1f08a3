import type { WorkflowStep, WrittenWorkflow } from './workflows.ts';

/** What a workflow does, without what it is called. */
export type Definition = Pick<WrittenWorkflow, 'trigger' | 'entry' | 'on_error' | 'steps'>;

/** The definition as it is written and changed. */
export const jsonOf = ({ trigger, entry, on_error, steps }: Definition) => JSON.stringify({ trigger, entry, on_error, steps }, null, 2);

/** What a new workflow begins as. */
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

/** What is written, as members of the body; whether they make a workflow is the API's to say. */
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

/** Whether enough of it is written to be drawn. */
export function isDrawable(members: Readonly<Record<string, unknown>>): members is Readonly<Record<string, unknown>> & Drawable {
  const { trigger, steps } = members;
  return isMembers(trigger) && typeof trigger.type === 'string' && Array.isArray(steps) && steps.every(isDrawableStep);
}

const isText = (value: unknown) => typeof value === 'string';

/** What each kind of step needs to be told in words. */
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
