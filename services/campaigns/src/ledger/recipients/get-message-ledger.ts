import { page } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { includeContact, withContacts } from '@mp/service-kit/include-contacts';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { ledgerFilter, requireServed } from './ledger-filter.ts';
import { WorkflowRecipient } from './recipient.ts';
import type { RecipientsStore } from './recipients-store.ts';

type Deps = { broker: Pick<Broker, 'request'>; recipients: Pick<RecipientsStore, 'listSteps'> };

export const messageLedgerFilter = { workflow_id: workflowId.max(64).describe('The workflow that sent the emails.'), ...ledgerFilter };

export function getMessageLedger(app: Server, { broker, recipients }: Deps) {
  app.get(
    '/v2/campaigns/messages/ledger',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getMessageLedger',
        summary: 'List the emails of a workflow',
        description:
          'One row for each email that a step of the workflow sent to a contact, oldest first. With `engagement=converted`, these are the ' +
          'emails after which something was bought, with the number of orders and the revenue. A workflow that has sent nothing has no rows.',
        querystring: z.strictObject({ ...listQuery, include: includeContact, ...messageLedgerFilter }),
        response: { 200: page(WorkflowRecipient) },
      },
    },
    async (request, reply) => {
      const { include, workflow_id, ...query } = request.query;
      requireServed(query);
      const found = await recipients.listSteps(request.principal.accountId, workflow_id, query);
      const items = include ? await withContacts(broker, request.principal, found.items, ({ contact_id }) => contact_id) : found.items;
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: { ...found, items } };
    },
  );
}
