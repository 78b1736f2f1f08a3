import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { contactId, runId, workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { requireSendPermission } from '../workflows/require-send-permission.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyInput } from './apply-inputs.ts';
import { cannotMove, moveProblems } from './move-version.ts';
import type { StoredRun } from './run-document.ts';
import type { RunsStore } from './runs-store.ts';

/** All runs of a request move in one transaction, which must stay well below the time limit of MongoDB. */
const maxRuns = 50;

const MoveBody = z.strictObject({
  dry_run: z.boolean().default(false).describe('Only report what would happen.'),
  after: runId.max(100).optional().describe('The `next` of the previous response, to continue after it.'),
});

const Moved = z.object({
  version: z.number().int().describe('The current version of the workflow.'),
  moved: z.number().int().describe('The runs that moved; with `dry_run`, that would move.'),
  not_moved: z
    .array(
      z.object({
        run_id: runId,
        contact_id: contactId,
        step_id: z.string().nullable(),
        version: z.number().int(),
        reason: z
          .enum(moveProblems)
          .describe(
            '`step_missing`: the current version has no step with this id. `step_changed`: the step has another type there. `in_flight`: the run waits for a reply to this step; try again later.',
          ),
      }),
    )
    .describe('The runs that stay on their version.'),
  next: z
    .string()
    .nullable()
    .describe(
      `At most ${maxRuns} runs are processed in one request, oldest first. Send this as \`after\` for the next ones; null after the last.`,
    ),
});

type Deps = { workflows: WorkflowsStore; runs: RunsStore; applyInput: ApplyInput; transact: Transact };

export function moveRuns(app: Server, { workflows, runs, applyInput, transact }: Deps) {
  app.post(
    '/v2/workflows/:id/runs/move',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'moveWorkflowRuns',
        summary: 'Move open runs to the current version',
        description:
          'A run stays on the version it started with until it is moved. It can move if the current version has a step with the same id and type as its current step: ' +
          'it keeps waiting there, and then follows the current version.',
        params: z.object({ id: workflowId }),
        body: MoveBody,
        response: { 200: success(Moved) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { dry_run, after } = request.body;
        const { id, version, status, steps } = await workflows.get(accountId, request.params.id, tx);
        if (status === 'archived')
          throw new ApiError('INVALID_STATE', 'The workflow is archived; its runs have ended or are about to end.');
        await requireSendPermission(workflows, request.principal, steps, tx);
        const found = await runs.onOtherVersions(tx, accountId, id, { version, after, limit: maxRuns + 1 });
        const tried = found.slice(0, maxRuns);
        const typeAt = (all: typeof steps, run: StoredRun) => all.find((step) => step.id === run.step)?.type;
        const not_moved: z.output<typeof Moved>['not_moved'] = [];
        for (const run of tried) {
          const here = await workflows.definition(accountId, id, run.version);
          const reason = cannotMove(run, typeAt(steps, run), typeAt(here.steps, run));
          const isMoved =
            reason === undefined && (dry_run || (await applyInput(tx, run, { type: 'moved_version', version })) !== undefined);
          if (isMoved) continue;
          const { id: run_id, contact_id, step: step_id } = run;
          not_moved.push({ run_id, contact_id, step_id, version: run.version, reason: reason ?? 'in_flight' });
        }
        const next = found.length > maxRuns ? (tried.at(-1)?.id ?? null) : null;
        return { status: 200, data: { version, moved: tried.length - not_moved.length, not_moved, next } };
      }),
  );
}
