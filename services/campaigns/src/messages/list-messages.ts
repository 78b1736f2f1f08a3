import { page } from '@mp/contracts/envelope';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { recipientStates } from '../ledger/recipients/recipient.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import { Message, messageOfRow } from './message.ts';

export function listMessages(app: Server, { recipients }: { recipients: RecipientsStore }) {
  app.get(
    '/v2/campaigns/messages',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listMessages',
        summary: 'List messages, newest first',
        description: 'Messages of `POST /v2/campaigns/messages`; tests of campaigns are not listed.',
        querystring: z.strictObject({
          ...listQuery,
          status: renamedFrom('state', z.enum(recipientStates).optional().describe('List only messages with this status.')),
        }),
        response: { 200: page(Message) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await recipients.listMessages(request.principal.accountId, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(messageOfRow), pagination } };
    },
  );
}
