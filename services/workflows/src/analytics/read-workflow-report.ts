import type { EmailFigures } from '@mp/contracts/email-figures';
import { WorkflowEmails } from '@mp/contracts/requests/campaigns';
import type { AccountId, WorkflowId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { ReadAnalytics } from './read-analytics.ts';

type Deps = { readAnalytics: ReadAnalytics; broker: Pick<Broker, 'request'> };

export type ReadWorkflowReport = ReturnType<typeof createReadWorkflowReport>;

/**
 * Reads the counts of a workflow with what came of its emails, which campaigns counts. A step that has sent none has null, and so has a
 * variant that campaigns does not know. Throws NOT_FOUND, and SERVICE_UNAVAILABLE without campaigns.
 */
export const createReadWorkflowReport =
  ({ readAnalytics, broker }: Deps) =>
  async (accountId: AccountId, id: WorkflowId) => {
    const { workflow, analytics } = await readAnalytics(accountId, id);
    const sent = await broker.request(WorkflowEmails, { account_id: accountId, workflow_id: id });
    const ofStep = new Map(sent.steps.map((step) => [step.step_id, step]));
    const steps = analytics.steps.map((step) => {
      const emails = ofStep.get(step.step_id);
      const ofVariant = new Map(emails?.variants.map((variant): [string, EmailFigures] => [variant.name, variant.emails]));
      return {
        ...step,
        emails: emails?.emails ?? null,
        variants: step.variants.map((variant) => ({ ...variant, emails: ofVariant.get(variant.name) ?? null })),
      };
    });
    return { workflow, report: { ...analytics, emails: sent.emails, emails_as_of: sent.as_of, steps } };
  };
