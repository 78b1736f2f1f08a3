import type { Workflow } from './workflows.ts';

/** The behavior of a workflow, without its name and description. */
export type Definition = Pick<Workflow, 'trigger' | 'steps'> &
  Partial<Pick<Workflow, 'entry' | 'on_error' | 'exit_when' | 'max_concurrent' | 'priority'>> & { quiet_hours?: QuietHours | null };

/** Without the former names of its fields, which responses have, too, and which would contradict a change. */
type QuietHours = Pick<NonNullable<Workflow['quiet_hours']>, 'from' | 'to' | 'timezone'>;

/** The definition of a new workflow. */
export const firstDefinition: Definition = {
  trigger: { type: 'contact_created' },
  entry: { policy: 'once' },
  on_error: 'continue',
  exit_when: [],
  quiet_hours: null,
  steps: [],
};

export const definitionOf = ({ trigger, steps, ...rest }: Definition): Definition => {
  const { entry, on_error, exit_when, quiet_hours, max_concurrent, priority } = rest;
  return {
    trigger,
    ...(entry && { entry }),
    ...(on_error && { on_error }),
    ...(exit_when && { exit_when }),
    ...(quiet_hours !== undefined && { quiet_hours: quiet_hours && quietHoursOf(quiet_hours) }),
    ...(max_concurrent !== undefined && { max_concurrent }),
    ...(priority && { priority }),
    steps,
  };
};

const quietHoursOf = ({ from, to, timezone }: QuietHours): QuietHours => ({ from, to, timezone });

export const jsonOf = (definition: Definition) => JSON.stringify(definition, null, 2);
