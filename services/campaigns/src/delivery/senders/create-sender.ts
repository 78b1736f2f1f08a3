import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { CreateSenderBody, Sender } from './sender.ts';
import type { SendersStore } from './senders-store.ts';

export function createSender(app: Server, { senders, transact }: { senders: SendersStore; transact: Transact }) {
  app.post(
    '/v2/campaigns/senders',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'createSender',
        summary: 'Add a sending domain',
        description:
          'Creates a DKIM key for the domain and returns the DNS records to set. After `POST …/check` finds the required records, the ' +
          'domain is verified, and all its emails are signed. The private key is stored encrypted and never returned.',
        body: CreateSenderBody,
        response: { 201: success(Sender) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const sender = await senders.insert(tx, request.principal.accountId, request.body.domain);
        return { status: 201, data: sender, location: `/v2/campaigns/senders/${sender.id}` };
      }),
  );
}
