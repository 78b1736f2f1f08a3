import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { recipientId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import { Message, messageOfRow } from './message.ts';

export function getMessageById(app: Server, { recipients }: { recipients: RecipientsStore }) {
  app.get(
    '/v2/campaigns/messages/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getMessage',
        summary: 'Get a message',
        description: 'A message of `POST /v2/campaigns/messages`, or a test of a campaign.',
        params: z.object({ id: recipientId.describe('The ID of the message.') }),
        response: { 200: success(Message) },
      },
    },
    async (request) => {
      const row = await recipients.findMessage(request.principal.accountId, request.params.id);
      if (!row) throw notFound();
      return { success: true as const, data: messageOfRow(row) };
    },
  );
}
