import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { guardFormula } from '@mp/service-kit/formulas';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { breakdownNames } from '../ledger/engagements/breakdowns.ts';
import { type BreakdownItem, HoursTimezone } from './breakdown.ts';
import type { Counts } from './counts-and-rates.ts';
import type { Analytics, ReadReport } from './report.ts';

const Query = z.strictObject({
  by: z
    .enum(breakdownNames)
    .optional()
    .describe('One line for each `variant`, `domain`, `device`, `link` or `hour`; one line for the whole campaign if omitted.'),
  timezone: HoursTimezone,
});

/** The columns of all counts; those of a part that only counts opens and clicks are empty. */
function cellsOf(counts: Pick<Counts, 'opened' | 'clicked'> & Partial<Counts>) {
  const { opened, clicked, revenue, ...others } = counts;
  const names = ['recipients', 'waiting', 'skipped', 'attempted', 'accepted', 'sent', 'delivered', 'bounced', 'failed'] as const;
  const last = ['complained', 'unknown', 'late', 'lateness_seconds', 'unsubscribed', 'converted', 'conversions'] as const;
  return {
    ...Object.fromEntries(names.map((name) => [name, others[name]])),
    ...Object.fromEntries(
      Object.entries({ opened, clicked }).flatMap(([kind, { unique, total }]) => [
        [`${kind}_unique_human`, unique.human],
        [`${kind}_unique_machine`, unique.machine],
        [`${kind}_total_human`, total.human],
        [`${kind}_total_machine`, total.machine],
      ]),
    ),
    ...Object.fromEntries(last.map((name) => [name, others[name]])),
    revenue: revenue?.map(({ currency, amount }) => `${amount} ${currency}`).join('; '),
  };
}

const keys = ['variant', 'domain', 'device', 'link', 'url', 'hour', 'local_hour'] as const;
const keysOf = (item: BreakdownItem) => Object.fromEntries(keys.map((key) => [key, item[key]]));

const linesOf = ({ campaign_id, as_of, counts, breakdown }: Analytics): object[] =>
  breakdown?.map((item) => ({ campaign_id, as_of, ...keysOf(item), ...cellsOf(item.counts ?? item) })) ?? [
    { campaign_id, as_of, ...cellsOf(counts) },
  ];

/** Also of a report without lines. */
const columnsOf = ({ counts, breakdown }: Analytics) => [
  'campaign_id',
  'as_of',
  ...(breakdown ? keys : []),
  ...Object.keys(cellsOf(counts)),
];

export function exportAnalytics(app: Server, { readReport }: { readReport: ReadReport }) {
  app.get(
    '/v2/campaigns/:id/analytics/export',
    {
      config: { scope: 'campaigns:read', produces: ['text/csv'] },
      schema: {
        operationId: 'exportCampaignAnalytics',
        summary: 'Export the analytics of a campaign',
        description: 'The report as CSV with a header line. Text that a spreadsheet would run as a formula is escaped.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        querystring: Query,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { report } = await readReport(request.principal.accountId, id, { ...request.query, requestId: request.id });
      const table = stringify(linesOf(report), { header: true, columns: columnsOf(report), cast: { string: guardFormula } });
      return reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${id}-analytics.csv"`).send(table);
    },
  );
}
