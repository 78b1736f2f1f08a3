import { ApiError } from '@mp/contracts/errors';
import { CampaignReport, WorkflowEmails } from '@mp/contracts/requests/campaigns';
import { newId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Counts } from '../ledger/counters/contribution.ts';
import { countsOf } from './counts-and-rates.ts';
import { figuresOf } from './email-figures.ts';
import type { ReadMessages } from './read-messages.ts';
import type { ReadReport } from './report.ts';

const figures = (counters: Counts) => figuresOf(countsOf(counters, 0));

/** The emails of a workflow, for its report. */
export const replyWithWorkflowEmails =
  (broker: Broker, { readMessages }: { readMessages: ReadMessages }) =>
  () =>
    broker.reply(WorkflowEmails, async ({ account_id, workflow_id }) => {
      const { counts, asOf, steps } = await readMessages(account_id, workflow_id, newId('request'));
      return {
        as_of: asOf.toISOString(),
        emails: figures(counts),
        steps: steps.map(({ step_id, counts: own, variants }) => ({
          ...{ step_id, emails: figures(own) },
          variants: variants.map(({ name, counts: ofVariant }) => ({ name, emails: figures(ofVariant) })),
        })),
      };
    });

/** The report of a campaign that is mailed to users. */
export const replyWithCampaignReport =
  (broker: Broker, { readReport }: { readReport: ReadReport }) =>
  () =>
    broker.reply(CampaignReport, async ({ account_id, campaign_id }) => {
      try {
        const { campaign, report } = await readReport(account_id, campaign_id, { requestId: newId('request') });
        const { counts, as_of } = report;
        return {
          report: { name: campaign.name, status: campaign.status, recipients: counts.recipients, emails: figuresOf(counts), as_of },
        };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return { report: null };
        throw error;
      }
    });
