import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import type { Transact } from '@mp/service-kit/transact';
import { MessageContent } from '../content/message-content.ts';
import type { FindContentWarnings } from '../content/templates/content-warnings.ts';
import { messageSources } from '../ledger/recipients/message-category.ts';
import { newRecipient } from '../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { ContentsStore } from './contents-store.ts';
import { messageOfRow, SentMessage } from './message.ts';
import { maxMessageBytes, SendMessageBody } from './message-body.ts';
import type { ReadMessage } from './read-message.ts';

type Deps = {
  recipients: RecipientsStore;
  contents: ContentsStore;
  readMessage: ReadMessage;
  findContentWarnings: FindContentWarnings;
  transact: Transact;
  wake: () => void;
};

export function sendMessage(app: Server, { recipients, contents, readMessage, findContentWarnings, transact, wake }: Deps) {
  app.post(
    '/v2/campaigns/messages',
    {
      config: { scope: 'campaigns:send', bodyLimit: maxMessageBytes },
      schema: {
        operationId: 'sendMessage',
        summary: 'Send a message',
        description:
          'Sends one email to one recipient, such as a receipt or a password reset, ahead of every campaign. It is a row of the ledger like ' +
          'any other email: it is sent once, and its state is exact. A `transactional` message needs no consent and has no unsubscribe link; ' +
          'a `marketing` message needs consent. Suppressed addresses never get a message. Send an `Idempotency-Key`, so that a retry does ' +
          'not send a second message. Poll `GET /v2/campaigns/messages/:id` for its state.',
        body: SendMessageBody,
        response: { 202: success(SentMessage) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      requireWithinLimits(request.principal, { topic: null, sender: request.body.from.email });
      return transact(
        request,
        reply,
        async (tx, { content, warnings, ...message }) => {
          const source = { account_id: accountId, source: 'message' as const, source_id: messageSources.messages, source_key: '' };
          const { category } = request.body;
          const made = newRecipient({ ...source, ...message, content_id: '', category }, false, new Date());
          const origin = message.template ? ({ source: 'template' } as const) : { message_id: made._id };
          const content_id = await contents.keep(tx, accountId, MessageContent.parse(content), origin);
          const row = { ...made, content_id, source_key: made._id };
          await recipients.insert(tx, [row]);
          tx.afterCommit(wake);
          return { status: 202, data: { ...messageOfRow(row), warnings }, location: `/v2/campaigns/messages/${row._id}` };
        },
        {
          before: async () => {
            const read = await readMessage(accountId, request.body);
            return { ...read, warnings: read.template ? [] : await findContentWarnings(accountId, [read.content]) };
          },
        },
      );
    },
  );
}
