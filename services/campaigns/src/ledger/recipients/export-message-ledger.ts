import { Readable } from 'node:stream';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { messageLedgerFilter } from './get-message-ledger.ts';
import { requireServed } from './ledger-filter.ts';
import { createLedgerTable } from './ledger-table.ts';
import { WorkflowRecipient } from './recipient.ts';
import type { RecipientsStore } from './recipients-store.ts';

const tableOf = createLedgerTable(WorkflowRecipient.omit({ contact: true }));

export function exportMessageLedger(app: Server, { recipients }: { recipients: Pick<RecipientsStore, 'stepPages'> }) {
  app.get(
    '/v2/campaigns/messages/ledger/export',
    {
      config: { scope: 'campaigns:read', produces: ['text/csv'] },
      schema: {
        operationId: 'exportMessageLedger',
        summary: 'Export the emails of a workflow',
        description:
          'CSV with a header and one line for each email of the workflow, with the status at the time it was read. ' +
          'Text that a spreadsheet would run as a formula is escaped. `address` is empty for a credential without the scope `contacts:export`.',
        querystring: z.strictObject(messageLedgerFilter),
      },
    },
    async (request, reply) => {
      const { workflow_id, ...filter } = request.query;
      requireServed(filter);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="workflow-ledger.csv"')
        .send(
          Readable.from(tableOf(request.principal, recipients.stepPages(request.principal.accountId, workflow_id, filter)), {
            objectMode: false,
          }),
        );
    },
  );
}
