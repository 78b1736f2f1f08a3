import { Readable } from 'node:stream';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { CampaignsStore } from '../../campaigns/campaigns-store.ts';
import { ledgerFilter, requireServed } from './ledger-filter.ts';
import { createLedgerTable } from './ledger-table.ts';
import { Recipient } from './recipient.ts';
import type { RecipientsStore } from './recipients-store.ts';

type Deps = { campaigns: Pick<CampaignsStore, 'get'>; recipients: Pick<RecipientsStore, 'pages'> };

const tableOf = createLedgerTable(Recipient.omit({ contact: true }));

export function exportLedger(app: Server, { campaigns, recipients }: Deps) {
  app.get(
    '/v2/campaigns/:id/ledger/export',
    {
      config: { scope: 'campaigns:read', produces: ['text/csv'] },
      schema: {
        operationId: 'exportCampaignLedger',
        summary: 'Export the ledger of a campaign',
        description:
          'CSV with a header and one line for each recipient. While the campaign is being sent, each line has the status at the time it was read. ' +
          'Text that a spreadsheet would run as a formula is escaped. `address` is empty for a credential without the scope `contacts:export`.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        querystring: z.strictObject(ledgerFilter),
      },
    },
    async (request, reply) => {
      requireServed(request.query);
      const { accountId } = request.principal;
      const { id } = await campaigns.get(accountId, request.params.id);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${id}-ledger.csv"`)
        .send(Readable.from(tableOf(request.principal, recipients.pages(accountId, id, request.query)), { objectMode: false }));
    },
  );
}
