import { useAllTemplates, useAllUsers, useAllWorkflows } from '../names/all-names.ts';
import { useNames } from '../names/names.ts';
import type { Definition } from './definition.ts';

/** The names of everything that a workflow refers to, by ID. Only what it refers to is loaded. */
export function useStepNames({ trigger, steps }: Pick<Definition, 'steps'> & Partial<Pick<Definition, 'trigger'>>) {
  const { named } = useNames();
  const templates = useAllTemplates(
    steps.some((step) => step.type === 'send' && [step, ...(step.variants ?? [])].some(({ template_id }) => template_id !== undefined)),
  );
  const workflows = useAllWorkflows(
    (trigger && 'workflow_id' in trigger && trigger.workflow_id !== undefined) || steps.some(({ type }) => type === 'start_workflow'),
  );
  const users = useAllUsers(steps.some(({ type }) => type === 'notify'));
  const names = new Map([
    ...[...templates.rows, ...workflows.rows].map(({ id, name }) => [id, `“${name}”`] as const),
    ...users.rows.map(({ id, name, email }) => [id, name || email || id] as const),
  ]);
  return (id: string) => names.get(id) ?? named(id);
}
