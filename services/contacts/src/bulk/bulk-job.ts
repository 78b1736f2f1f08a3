import { ApiError } from '@mp/contracts/errors';
import { contactId, formId, segmentId, workflowId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { ContactId } from '@mp/ids';
import { Rule } from '@mp/rules/rule';
import { z } from 'zod';
import { sharedValues, tag } from '../contacts/contact-body.ts';
import { consequencesField } from '../files/consequences.ts';

export const bulkStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type BulkStatus = (typeof bulkStatuses)[number];

const maxIds = 10_000;

const selections = ['filter', 'rule', 'ids', 'segment_id'] as const;

export const Selection = z
  .strictObject({
    filter: z
      .record(z.string().max(120), z.string().max(1_000))
      .refine((filter) => Object.keys(filter).length <= 20, 'expected at most 20 filters')
      .describe('Filters of `GET /v2/contacts`, such as `{"tag": "trial", "created_at[lt]": "2026-01-01T00:00:00Z"}`, in any combination.'),
    rule: Rule.describe('A rule, as in `POST /v2/contacts/search`.'),
    ids: z.array(contactId.trim().min(1).max(64)).min(1).max(maxIds).describe(`Up to ${maxIds} contact ids.`),
    segment_id: segmentId.max(64).describe('The members of this segment when the job was created.'),
  })
  .partial()
  .refine(
    (select) => selections.filter((name) => select[name] !== undefined).length === 1,
    `expected exactly one of ${selections.join(', ')}`,
  )
  .describe('Which contacts: exactly one of `filter`, `rule`, `ids` and `segment_id`.')
  .meta({ id: 'BulkSelection' });
export type Selection = z.output<typeof Selection>;

/** What the audit log says about a selection. Rules and filters can have personal data in them, so it only says that there is one. */
export const auditedSelection = ({ ids, segment_id, rule }: Selection) => {
  if (segment_id !== undefined) return { selection: 'segment_id', segment_id };
  if (ids) return { selection: 'ids', contacts: ids.length };
  return { selection: rule ? 'rule' : 'filter' };
};

const actions = [
  'add_tag',
  'remove_tag',
  'add_to_segment',
  'start_workflow',
  'request_confirmation',
  'update',
  'delete',
  'suppress',
] as const;

/** The field that an action needs. */
const parameters = ['tag', 'segment_id', 'workflow_id', 'form_id', 'values'] as const;
const needed: Partial<Record<(typeof actions)[number], (typeof parameters)[number]>> = {
  add_tag: 'tag',
  remove_tag: 'tag',
  add_to_segment: 'segment_id',
  start_workflow: 'workflow_id',
  request_confirmation: 'form_id',
  update: 'values',
};

export const BulkRequest = z
  .strictObject({
    select: Selection,
    action: z
      .enum(actions)
      .describe(
        '`delete` can be undone with `POST /v2/contacts/:id/restore`; `suppress` suppresses the email address of each contact; `start_workflow` starts a run for each, as far as the entry policy of the workflow admits it; `request_confirmation` asks each contact whose consent to email is `pending` to confirm it, by the confirmation email of a form.',
      ),
    tag: tag.optional().describe('The tag, for `add_tag` and `remove_tag`.'),
    segment_id: segmentId.max(64).optional().describe('The static segment, for `add_to_segment`.'),
    workflow_id: workflowId
      .max(64)
      .optional()
      .describe('The active workflow, for `start_workflow`, which requires the scope `workflows:write`, too.'),
    form_id: formId
      .max(64)
      .optional()
      .describe('The active form with double opt-in whose consent is to be confirmed, for `request_confirmation`.'),
    values: sharedValues.optional().describe('The fields to change, for `update`, as in `PUT /v2/contacts/:id`, except the identifiers.'),
    start_workflows: z
      .boolean()
      .default(true)
      .describe(
        'Whether what the job changes starts runs of workflows, such as contacts that enter a segment. With false, only the action `start_workflow` starts any.',
      ),
    dry_run: z.boolean().default(false).describe('With `true`, the job computes the result of every contact and changes none.'),
  })
  .superRefine(({ action, ...fields }, context) => {
    for (const name of parameters) {
      const isNeeded = needed[action] === name;
      if (isNeeded === (fields[name] !== undefined)) continue;
      const message = isNeeded ? `${action} requires ${name}.` : `${action} takes no ${name}.`;
      context.addIssue({ code: 'custom', path: [name], message, input: fields[name] });
    }
  });
export type BulkRequest = z.output<typeof BulkRequest>;

/** Whether the audit log has the job. */
export const isAudited = ({ action, dry_run }: Pick<BulkRequest, 'action' | 'dry_run'>) => action === 'delete' && !dry_run;

export const BulkRows = z.object({
  selected: z.number().int().describe('Contacts processed so far.'),
  changed: z.number().int().describe('Contacts that the action changed, or with `dry_run` would change.'),
  unchanged: z
    .number()
    .int()
    .describe('Contacts that needed no change, that the workflow does not admit again, or that wait for no confirmation.'),
  failed: z.number().int().describe('Contacts for which the action failed; the results say why.'),
});
export type BulkRows = z.infer<typeof BulkRows>;
export const noRows: BulkRows = { selected: 0, changed: 0, unchanged: 0, failed: 0 };

export const BulkJob = z
  .object({
    id: z.string().describe('ID of the job: `bulk_` and an opaque suffix.'),
    status: z.enum(bulkStatuses).describe('The state of the job.'),
    select: Selection,
    action: z.enum(actions).describe('What the job does with each contact.'),
    tag: z.string().nullable().describe('The tag; null for other actions.'),
    segment_id: segmentId.nullable().describe('The static segment; null for other actions.'),
    workflow_id: workflowId.nullable().describe('The workflow; null for other actions.'),
    form_id: formId.nullable().describe('The form; null for other actions.'),
    values: z.record(z.string(), z.unknown()).nullable().describe('The changed fields; null for other actions.'),
    start_workflows: z.boolean().describe('Whether what the job changes starts runs of workflows.'),
    dry_run: z.boolean().describe('Whether the job is a dry run, which changes nothing.'),
    rows: BulkRows.describe('How many contacts the job has processed, by result.'),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the job failed. Changes made before the failure are kept.'),
    results_url: z.string().describe('Path of a CSV file with the result of every contact so far.'),
    created_at: z.iso.datetime().describe('When the job was created.'),
    completed_at: renamedFrom(
      'finished_at',
      z.iso.datetime().nullable().describe('When it was completed, failed or cancelled; null until then.'),
    ),
    expires_at: z.iso.datetime().nullable().describe('When the job and its results are removed.'),
  })
  .meta({ id: 'BulkJob' });
export type BulkJob = z.infer<typeof BulkJob>;

/** The entry of the audit log when a job that deletes contacts ends. */
export const endOfDeletion = ({ id, status, rows }: Pick<BulkJob, 'id' | 'status' | 'rows'>) => ({
  ...{ action: 'bulk_deletion.ended' as const, target_id: id, details: { status, deleted: rows.changed } },
});

/** A single job with what follows from it. */
export const BulkJobDetail = BulkJob.extend({ consequences: consequencesField }).meta({ id: 'BulkJobDetail' });

/** The result of one contact; `code` and `message` say why, if there is more to say than the status does. */
export type BulkResult = { id: ContactId; status: 'changed' | 'unchanged' | 'failed'; code?: string; message?: string };

export const bulkRetentionMs = 30 * 24 * 60 * 60 * 1_000;

/** The maximum number of unfinished jobs of one account: each can concern every contact and delays those of other accounts. */
export const maxUnfinished = 10;

export const tooManyUnfinished = () =>
  new ApiError('RATE_LIMITED', `An account can have at most ${maxUnfinished} unfinished bulk jobs; wait until one has ended.`, {
    retryAfter: 30,
  });

export const cannotCancel = (status: BulkStatus) =>
  new ApiError('INVALID_STATE', `The bulk job is ${status}; only a queued or running one can be cancelled.`);
