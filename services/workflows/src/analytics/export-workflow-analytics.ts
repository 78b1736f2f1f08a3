import type { EmailFigures } from '@mp/contracts/email-figures';
import { workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { guardFormula } from '@mp/service-kit/formulas';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import type { ReadWorkflowReport } from './read-workflow-report.ts';

const ofRuns = ['entered', 'done', 'skipped', 'exited', 'waiting', 'failed'] as const;
const ofEmails = ['accepted', 'opened', 'clicked', 'unsubscribed', 'bounced', 'converted', 'conversions'] as const;
const columns = ['workflow_id', 'as_of', 'step_id', 'variant', ...ofRuns, ...ofEmails, 'revenue'];

const emailCells = (emails: EmailFigures | null) =>
  emails && {
    ...Object.fromEntries(ofEmails.map((name) => [name, emails[name]])),
    revenue: emails.revenue.map(({ amount, currency }) => `${amount} ${currency}`).join('; '),
  };

/** The whole workflow first, then each step, followed by its variants. */
function linesOf({ workflow_id, emails_as_of: as_of, counts, emails, steps }: Awaited<ReturnType<ReadWorkflowReport>>['report']) {
  const named = { workflow_id, as_of };
  return [
    { ...named, entered: counts.entered, exited: counts.exited, waiting: counts.open, failed: counts.failed, ...emailCells(emails) },
    ...steps.flatMap((step) => [
      { ...named, step_id: step.step_id, ...Object.fromEntries(ofRuns.map((name) => [name, step[name]])), ...emailCells(step.emails) },
      ...step.variants.map((variant) => ({ ...named, step_id: step.step_id, variant: variant.name, ...emailCells(variant.emails) })),
    ]),
  ];
}

export function exportWorkflowAnalytics(app: Server, { readWorkflowReport }: { readWorkflowReport: ReadWorkflowReport }) {
  app.get(
    '/v2/workflows/:id/analytics/export',
    {
      config: { scope: 'workflows:read', produces: ['text/csv'] },
      schema: {
        operationId: 'exportWorkflowAnalytics',
        summary: 'Export the analytics of a workflow',
        description:
          'CSV with a header, one line for the whole workflow, one for each step and one for each variant of a step: the runs, and what came of the emails. ' +
          'Text that a spreadsheet would run as a formula is escaped.',
        params: z.object({ id: workflowId }),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { report } = await readWorkflowReport(request.principal.accountId, id);
      const table = stringify(linesOf(report), { header: true, columns, cast: { string: guardFormula } });
      return reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${id}-analytics.csv"`).send(table);
    },
  );
}
