import { ApiError, invalid } from '@mp/contracts/errors';
import { Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import { z } from 'zod';
import { type Definition, definitionMembers, Trigger } from './definition.ts';
import { Warning } from './workflow-warnings.ts';

export const WorkflowStatus = z.enum(['draft', 'active', 'paused', 'archived']);
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

/** A workflow as the API shows it, at its current version. */
export const Workflow = z
  .object({
    id: z.string().describe('`workflow_` and a time-ordered suffix; opaque'),
    name: z.string(),
    description: z.string().nullable(),
    status: WorkflowStatus.describe(
      '`active`: its trigger begins runs, and their mails go out; `draft`: nothing happens until it is activated',
    ),
    ...definitionMembers,
    version: z.number().int().describe('of trigger, steps, entry and on_error; a run stays on the version it began with'),
    revision: z.number().int().describe('grows by one with every change'),
    activated_at: z.iso
      .datetime()
      .nullable()
      .describe('since when its trigger begins runs, activated or replaced: what happened before begins none'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Workflow' });
export type Workflow = z.output<typeof Workflow>;

/** A single workflow, with what deserves a look. */
export const WorkflowDetails = Workflow.extend({
  warnings: z
    .array(Warning)
    .describe('what is valid but cannot happen as things are: names in the trigger and in branches of things that do not exist'),
  last_failure: z
    .object({ run_id: z.string(), step_id: z.string().nullable(), reason: z.string().nullable(), at: z.iso.datetime() })
    .nullable()
    .describe('of the runs that have failed, and were not retried with success, the one that began last; null without one'),
}).meta({ id: 'WorkflowDetails' });

/** As a trigger is written. A stored one is read as it is: it may be from before event names were brought to one form. */
const WrittenTrigger = Trigger.overwrite((trigger) =>
  trigger.type === 'event' ? { ...trigger, name: trigger.name.trim().normalize('NFC') } : trigger,
).refine((trigger) => trigger.type !== 'event' || trigger.name !== '', {
  path: ['name'],
  message: 'expected a name, and this is only spaces',
  params: { code: 'too_small' },
});

const writable = {
  name: Name(200),
  description: z.string().trim().normalize('NFC').max(2_000).nullable(),
  ...definitionMembers,
  trigger: WrittenTrigger,
};

export const CreateWorkflowBody = z.strictObject({
  ...writable,
  description: writable.description.default(null),
  entry: writable.entry.default({ policy: 'after_exit' }),
  on_error: writable.on_error.default('continue'),
  status: z
    .enum(['active', 'draft'])
    .default('active')
    .describe(
      '`active`, the default: from the response on its trigger begins runs, and their mails go out. `draft`: nothing happens until it is activated.',
    ),
});

const readOnly = {
  id: z.string(),
  status: WorkflowStatus,
  version: z.number().int(),
  revision: z.number().int(),
  activated_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** What responses add; passed over when it comes back. */
const passedOver = { warnings: z.unknown(), last_failure: z.unknown() };

/** What GET returned can be edited and put back: read-only members are accepted as long as they are unchanged. */
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

export const definitionOf = ({ trigger, steps, entry, on_error }: Workflow): Definition => ({ trigger, steps, entry, on_error });

const readOnlyMembers = [
  'id',
  'version',
  'revision',
  'activated_at',
  'created_at',
  'updated_at',
] as const satisfies (keyof typeof readOnly)[];

/**
 * The workflow after the change; the same object when nothing differs. A definition that was ever active is kept, and
 * the change becomes the next version; a draft's is replaced. Throws VALIDATION_ERROR and INVALID_STATE.
 */
export function changeWorkflow(before: Workflow, body: z.output<typeof UpdateWorkflowBody>, now: Date): Workflow {
  for (const name of readOnlyMembers) {
    if (body[name] !== undefined && body[name] !== before[name]) {
      throw invalid(`/${name}`, 'read_only', `${name} cannot be set; leave it out or send it unchanged (${JSON.stringify(before[name])}).`);
    }
  }
  if (body.status !== undefined && body.status !== before.status) {
    throw invalid('/status', 'read_only', 'The status changes by POST /v2/workflows/:id/activate, /pause or /archive.');
  }
  if (before.status === 'archived') throw new ApiError('INVALID_STATE', 'An archived workflow is not changed; activate it first.');
  const { name, description, trigger, steps, entry, on_error } = body;
  const after: Workflow = {
    ...before,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(trigger !== undefined && { trigger }),
    ...(steps !== undefined && { steps }),
    ...(entry !== undefined && { entry }),
    ...(on_error !== undefined && { on_error }),
  };
  const redefined = !same(definitionOf(before), definitionOf(after));
  if (!redefined && same([before.name, before.description], [after.name, after.description])) return before;
  const version = redefined && before.activated_at !== null ? before.version + 1 : before.version;
  const updated_at = now.toISOString();
  // Another trigger is active from now on: what happened before it was there begins nothing.
  const activated_at = before.status === 'active' && !same(before.trigger, after.trigger) ? updated_at : before.activated_at;
  return { ...after, version, revision: before.revision + 1, activated_at, updated_at };
}

const from: Record<'active' | 'paused' | 'archived', readonly WorkflowStatus[]> = {
  active: ['draft', 'paused', 'archived'],
  paused: ['active'],
  archived: ['draft', 'active', 'paused'],
};

/** The workflow in another status; the same object when it has it already. Throws INVALID_STATE. */
export function moveWorkflow(before: Workflow, status: 'active' | 'paused' | 'archived', now: Date): Workflow {
  if (before.status === status) return before;
  if (!from[status].includes(before.status)) {
    throw new ApiError(
      'INVALID_STATE',
      `The workflow is ${before.status}; it can become ${status} only from ${from[status].join(' or ')}.`,
    );
  }
  const at = now.toISOString();
  return {
    ...before,
    status,
    revision: before.revision + 1,
    updated_at: at,
    activated_at: status === 'active' ? at : before.activated_at,
  };
}

export const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Members in one order, because a definition that was stored and one that was sent may differ in it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
