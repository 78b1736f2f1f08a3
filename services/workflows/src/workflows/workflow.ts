import { ApiError, invalid } from '@mp/contracts/errors';
import { runId, workflowId } from '@mp/contracts/ids';
import { Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import { z } from 'zod';
import { type Definition, definitionDefaults, definitionFields } from './definition.ts';
import { Enrollment } from './enrollment.ts';
import { Trigger } from './trigger.ts';
import { Warning } from './workflow-warnings.ts';

export const WorkflowStatus = z.enum(['draft', 'awaiting_approval', 'active', 'paused', 'archived']);
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

/** A workflow as the API shows it, at its current version. */
export const Workflow = z
  .object({
    id: workflowId.describe('Opaque: `workflow_` and a time-ordered suffix.'),
    name: z.string(),
    description: z.string().nullable(),
    status: WorkflowStatus.describe(
      '`active`: the trigger starts runs, and their emails are sent. `draft`: nothing happens until the workflow is activated. `awaiting_approval`: a second person must approve the activation; until then it is like `paused`. `paused`: no runs start, and open runs are held. `archived`: open runs have exited.',
    ),
    ...definitionFields,
    version: z
      .number()
      .int()
      .describe(
        'The version of the definition: `trigger`, `steps`, `entry` and the rules for every run. A run stays on the version it started with.',
      ),
    revision: z.number().int().describe('Increases by one with every change.'),
    activated_at: z.iso
      .datetime()
      .nullable()
      .describe('When the workflow was last activated or its trigger was last replaced. Earlier events do not start runs.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Workflow' });
export type Workflow = z.output<typeof Workflow>;

/** A single workflow with its warnings and its last failure. */
export const WorkflowDetails = Workflow.extend({
  warnings: z
    .array(Warning)
    .describe(
      'Valid parts of the definition that cannot take effect, such as a trigger or branch that names a segment that does not exist, or an email that reads an attribute that no contact has ever had.',
    ),
  last_failure: z
    .object({ run_id: runId, step_id: z.string().nullable(), reason: z.string().nullable(), at: z.iso.datetime() })
    .nullable()
    .describe('The failed run that started last; null if there is none.'),
  enrollment: Enrollment.nullable().describe(
    'The progress of the last activation with `include_current` or `include_past_days`; null if there is none.',
  ),
}).meta({ id: 'WorkflowDetails' });

/** A trigger in a request. Stored triggers are read as they are; they may predate the normalization of event names. */
const WrittenTrigger = Trigger.overwrite((trigger) =>
  trigger.type === 'event' ? { ...trigger, name: trigger.name.trim().normalize('NFC') } : trigger,
).refine((trigger) => trigger.type !== 'event' || trigger.name !== '', {
  path: ['name'],
  message: 'expected a name, not only spaces',
  params: { code: 'too_small' },
});

const writable = {
  name: Name(200),
  description: z.string().trim().normalize('NFC').max(2_000).nullable(),
  ...definitionFields,
  trigger: WrittenTrigger,
};

export const CreateWorkflowBody = z.strictObject({
  ...writable,
  description: writable.description.default(null),
  entry: writable.entry.default({ policy: 'after_exit' }),
  on_error: writable.on_error.default('continue'),
  ...definitionDefaults,
  status: z
    .enum(['active', 'draft'])
    .default('active')
    .describe(
      '`active` (default): the trigger starts runs immediately, and their emails are sent. `draft`: nothing happens until the workflow is activated.',
    ),
});

const readOnly = {
  id: workflowId,
  status: WorkflowStatus,
  version: z.number().int(),
  revision: z.number().int(),
  activated_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** Fields that responses add; ignored when they are sent back. */
const passedOver = { warnings: z.unknown(), last_failure: z.unknown(), enrollment: z.unknown() };

/** The response of GET can be edited and sent back: read-only fields are accepted if they are unchanged. */
export const UpdateWorkflowBody = z.strictObject({ ...writable, ...readOnly, ...passedOver }).partial();

export function newWorkflow(body: z.output<typeof CreateWorkflowBody>, now: Date): Workflow {
  const at = now.toISOString();
  return {
    id: newId('workflow'),
    ...body,
    version: 1,
    revision: 1,
    activated_at: body.status === 'active' ? at : null,
    created_at: at,
    updated_at: at,
  };
}

export const definitionOf = (workflow: Definition): Definition => {
  const { trigger, steps, entry, on_error, exit_when, quiet_hours, max_concurrent, priority } = workflow;
  return { trigger, steps, entry, on_error, exit_when, quiet_hours, max_concurrent, priority };
};

const readOnlyFields = [
  'id',
  'version',
  'revision',
  'activated_at',
  'created_at',
  'updated_at',
] as const satisfies (keyof typeof readOnly)[];

/**
 * Returns the changed workflow, or the same object when nothing differs. If the workflow has ever been active, the change
 * creates the next version; otherwise it replaces the definition. Throws VALIDATION_ERROR and INVALID_STATE.
 */
export function changeWorkflow(before: Workflow, body: z.output<typeof UpdateWorkflowBody>, now: Date): Workflow {
  rejectReadOnlyChanges(body, before, readOnlyFields);
  if (body.status !== undefined && body.status !== before.status) {
    throw invalid('/status', 'read_only', 'To change the status, use POST /v2/workflows/:id/activate, /pause or /archive.');
  }
  if (before.status === 'archived') throw new ApiError('INVALID_STATE', 'An archived workflow cannot be changed; activate it first.');
  const { name, description, trigger, steps, entry, on_error, exit_when, quiet_hours, max_concurrent, priority } = body;
  const after: Workflow = {
    ...before,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(trigger !== undefined && { trigger }),
    ...(steps !== undefined && { steps }),
    ...(entry !== undefined && { entry }),
    ...(on_error !== undefined && { on_error }),
    ...(exit_when !== undefined && { exit_when }),
    ...(quiet_hours !== undefined && { quiet_hours }),
    ...(max_concurrent !== undefined && { max_concurrent }),
    ...(priority !== undefined && { priority }),
  };
  const redefined = !same(definitionOf(before), definitionOf(after));
  if (!redefined && same([before.name, before.description], [after.name, after.description])) return before;
  const version = redefined && before.activated_at !== null ? before.version + 1 : before.version;
  const updated_at = now.toISOString();
  // A new trigger counts from now on: earlier events start nothing.
  const activated_at = before.status === 'active' && !same(before.trigger, after.trigger) ? updated_at : before.activated_at;
  return { ...after, version, revision: before.revision + 1, activated_at, updated_at };
}

export const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Sorts fields, because a stored definition and one from a request may have them in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
