import { Pagination, success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { isId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { wholeList } from '@mp/service-kit/list';
import { z } from 'zod';
import { Analytics, type ReadReport } from './report.ts';

const maxCampaigns = 10;

const Query = z.strictObject({
  ids: z
    .string()
    .transform((ids) => [...new Set(ids.split(',').map((id) => id.trim()))])
    .refine((ids) => ids.length <= maxCampaigns, `expected at most ${maxCampaigns} campaigns`)
    .refine((ids): boolean => ids.every((id) => isId('campaign', id)), 'expected campaign IDs, separated by commas')
    .pipe(z.array(campaignId))
    .describe(`The IDs of up to ${maxCampaigns} campaigns, separated by commas.`),
});

const Compared = Analytics.omit({ breakdown: true })
  .extend({
    name: z.string().describe('The name of the campaign.'),
    subject: z.string().describe('The subject, a Liquid template.'),
    started_at: z.iso.datetime().nullable().describe('When sending started.'),
  })
  .meta({ id: 'ComparedCampaign' });

const Comparison = z
  .object({ items: renamedFrom('campaigns', z.array(Compared).describe('In the order of `ids`.')), pagination: Pagination })
  .meta({ id: 'CampaignComparison' });

export function compareCampaigns(app: Server, { readReport }: { readReport: ReadReport }) {
  app.get(
    '/v2/campaigns/compare',
    {
      config: { scope: 'campaigns:read', finds: true },
      schema: {
        operationId: 'compareCampaigns',
        summary: 'Compare campaigns',
        description: 'The counts and rates of several campaigns side by side.',
        querystring: Query,
        response: { 200: success(Comparison) },
      },
    },
    async (request) => {
      const reports = await Promise.all(
        request.query.ids.map((id) => readReport(request.principal.accountId, id, { requestId: request.id })),
      );
      const campaigns = reports.map(({ campaign: { name, subject, started_at }, report }) => ({ ...report, name, subject, started_at }));
      return { success: true as const, data: wholeList(campaigns, maxCampaigns) };
    },
  );
}
