import { EmailFigures } from '@mp/contracts/email-figures';
import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { ReadAnalytics } from './read-analytics.ts';
import type { ReadWorkflowReport } from './read-workflow-report.ts';
import { SecondsToGoal, StepCounts, toGoalText, VariantCounts } from './step-counts.ts';

const Count = z.number().int();

const emails = EmailFigures.nullable()
  .optional()
  .describe('With `include=emails`: what came of the emails; null if campaigns has none, such as of a step that sends no email.');

const Analytics = z
  .object({
    workflow_id: workflowId,
    counts: z
      .object({ entered: Count, open: Count, completed: Count, converted: Count, exited: Count, failed: Count, cancelled: Count })
      .describe('`entered` is the sum of the other counts.'),
    seconds_to_goal: SecondsToGoal.nullable().describe(`The time ${toGoalText}, of all converted runs; null if there are none.`),
    emails: EmailFigures.optional().describe('With `include=emails`: what came of all emails of the workflow.'),
    emails_as_of: z.iso
      .datetime()
      .optional()
      .describe('With `include=emails`: every open, click and conversion before this time is counted.'),
    steps: z.array(
      StepCounts.extend({
        emails,
        variants: z.array(VariantCounts.extend({ emails })).describe(String(StepCounts.shape.variants.description)),
      }).meta({ id: 'WorkflowStepCounts' }),
    ),
    as_of: z.iso.datetime(),
  })
  .meta({ id: 'WorkflowAnalytics' });

type Deps = { readAnalytics: ReadAnalytics; readWorkflowReport: ReadWorkflowReport };

/** Exact, at a cost that does not depend on the number of runs. */
export function getWorkflowAnalytics(app: Server, { readAnalytics, readWorkflowReport }: Deps) {
  app.get(
    '/v2/workflows/:id/analytics',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowAnalytics',
        summary: 'Get the analytics of a workflow',
        description:
          'Counts of runs by state and step, over all versions, exact at the time of the request. Steps that only earlier versions have follow those of the current version. ' +
          'The contacts at a step are those of the runs that `GET /v2/workflows/:id/runs` lists with `step_id` and `state=waiting`. ' +
          '`include=emails` adds the opens, clicks, conversions and revenue of the emails, by step and variant: the figures of `GET /v2/campaigns/messages/analytics`.',
        params: z.object({ id: workflowId }),
        querystring: z.strictObject({ include: z.literal('emails').optional().describe('Add what came of the emails.') }),
        response: { 200: success(Analytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      const data = request.query.include
        ? (await readWorkflowReport(accountId, id)).report
        : (await readAnalytics(accountId, id)).analytics;
      return { success: true as const, data };
    },
  );
}
