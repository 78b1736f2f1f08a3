import { page } from '@mp/contracts/envelope';
import { campaignId, workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { ReportEmail, reportEmailView } from './report-email.ts';
import { filterOf } from './report-email-access.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';

type Deps = { reportEmails: ReportEmailsStore; cursors: Cursors };

export function listReportEmails(app: Server, { reportEmails, cursors }: Deps) {
  app.get(
    '/v2/report-emails',
    {
      config: { scope: null },
      schema: {
        operationId: 'listReportEmails',
        summary: 'List the reports that are emailed, newest first',
        description: 'Those of campaigns need the scope `campaigns:read`, those of workflows `workflows:read`; others are not listed.',
        querystring: z.strictObject({
          ...listQuery,
          campaign_id: campaignId.max(64).optional().describe('Only the reports of this campaign.'),
          workflow_id: workflowId.max(64).optional().describe('Only the reports of this workflow.'),
        }),
        response: { 200: page(ReportEmail) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { limit, cursor, campaign_id, workflow_id } = request.query;
      const filter = { ...filterOf(request.principal), ...(campaign_id && { campaign_id }), ...(workflow_id && { workflow_id }) };
      const { items, pagination } = await reportEmails.list(accountId, filter, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(reportEmailView), pagination } };
    },
  );
}
