import { ApiError } from '@mp/contracts/errors';
import { WorkflowReport } from '@mp/contracts/requests/workflows';
import type { Broker } from '@mp/service-kit/broker';
import type { Step } from '../workflows/step.ts';
import type { ReadWorkflowReport } from './read-workflow-report.ts';

/** What a reader knows the email of a step by: its subject, or the ID of the step. */
const nameOf = (step: Step | undefined, id: string) => (step?.type === 'send' ? (step.subject ?? id) : id);

/** The report of a workflow that is mailed to users. */
export const replyWithWorkflowReport =
  (broker: Broker, { readWorkflowReport }: { readWorkflowReport: ReadWorkflowReport }) =>
  () =>
    broker.reply(WorkflowReport, async ({ account_id, workflow_id }) => {
      try {
        const { workflow, report } = await readWorkflowReport(account_id, workflow_id);
        const { counts, emails, emails_as_of, steps } = report;
        const sent = steps.flatMap((step) =>
          step.emails
            ? [
                {
                  ...{ entered: step.entered, emails: step.emails },
                  name: nameOf(
                    workflow.steps.find(({ id }) => id === step.step_id),
                    step.step_id,
                  ),
                },
              ]
            : [],
        );
        return {
          report: {
            ...{ name: workflow.name, status: workflow.status, emails, steps: sent, as_of: emails_as_of },
            ...{ entered: counts.entered, completed: counts.completed, converted: counts.converted },
          },
        };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return { report: null };
        throw error;
      }
    });
