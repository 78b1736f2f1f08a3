import { z } from 'zod';
import { EmailFigures } from '../email-figures.ts';
import { accountId, campaignId, templateId, workflowId } from '../ids.ts';
import { defineRequest } from '../request.ts';

/** They bound the replies. */
const maxCoupons = 1_000;
const maxSteps = 1_000;

export const CampaignCoupons = defineRequest({
  name: 'campaigns.coupons',
  version: 1,
  meaning: 'The names of the coupons of an account, which emails read as `coupon.<name>`, and how many codes some of them have left.',
  request: z.object({
    account_id: accountId,
    count: z.array(z.string()).max(100).default([]).describe('The coupons whose codes are counted.'),
  }),
  reply: z.object({
    names: z.array(z.string()).max(maxCoupons),
    counted: z
      .array(
        z.object({
          name: z.string(),
          codes_left: z.number().int().nullable().describe('Null if all recipients get the same code.'),
          expires_at: z.iso.datetime().nullable(),
        }),
      )
      .default([]),
  }),
});

export const CampaignTemplate = defineRequest({
  name: 'campaigns.template',
  version: 1,
  meaning: 'The current content of a template; null if the account has none with this ID. `content` is null if it is larger than a reply.',
  request: z.object({ account_id: accountId, template_id: templateId }),
  reply: z.object({
    template: z
      .object({
        version: z.number().int(),
        content: z
          .object({ subject: z.string().nullable(), preview_text: z.string().nullable(), html: z.string(), text: z.string().nullable() })
          .nullable(),
      })
      .nullable(),
  }),
});

export const CampaignReport = defineRequest({
  name: 'campaigns.report',
  version: 1,
  meaning: 'The report of a campaign in a few numbers; null if the account has no campaign with this ID.',
  request: z.object({ account_id: accountId, campaign_id: campaignId }),
  reply: z.object({
    report: z
      .object({ name: z.string(), status: z.string(), recipients: z.number().int(), emails: EmailFigures, as_of: z.iso.datetime() })
      .nullable(),
  }),
});

export const WorkflowEmails = defineRequest({
  name: 'campaigns.workflow_emails',
  version: 1,
  meaning: 'What came of the emails of a workflow: of all, of each step, and of each variant of a step.',
  request: z.object({ account_id: accountId, workflow_id: workflowId }),
  reply: z.object({
    as_of: z.iso.datetime(),
    emails: EmailFigures,
    steps: z
      .array(
        z.object({
          step_id: z.string(),
          emails: EmailFigures,
          variants: z.array(z.object({ name: z.string(), emails: EmailFigures })),
        }),
      )
      .max(maxSteps),
  }),
});
