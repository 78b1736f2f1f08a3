import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { By, HoursTimezone } from './breakdown.ts';
import { Analytics, type ReadReport } from './report.ts';

export function getAnalytics(app: Server, { readReport }: { readReport: ReadReport }) {
  app.get(
    '/v2/campaigns/:id/analytics',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaignAnalytics',
        summary: 'Get the analytics of a campaign',
        description:
          'Opens and clicks by people and automated ones (by prefetchers and scanners) are counted separately, ' +
          'each as a total and by unique recipient. ' +
          'Every rate has its definition and its `as_of` time; its value is null if the denominator is zero. ' +
          '`by` adds a breakdown. The report is read from counters and costs the same for any number of recipients.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        querystring: z.strictObject({ by: By, timezone: HoursTimezone }),
        response: { 200: success(Analytics) },
      },
    },
    async (request) => {
      const { by, timezone } = request.query;
      const { report } = await readReport(request.principal.accountId, request.params.id, { by, timezone, requestId: request.id });
      return { success: true as const, data: report };
    },
  );
}
