import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { checkRecords, type DnsResolver } from './check-records.ts';
import { Sender } from './sender.ts';
import type { SendersStore } from './senders-store.ts';

export function checkSender(app: Server, { senders, dns, transact }: { senders: SendersStore; dns: DnsResolver; transact: Transact }) {
  app.post(
    '/v2/campaigns/senders/:id/check',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'checkSender',
        summary: 'Check the DNS records of a sending domain',
        description:
          'A verified domain whose required records are gone becomes `pending` again, and its emails are no longer signed. ' +
          'While the DNS is unavailable, the status does not change, and `found` is null.',
        params: z.object({ id: z.string().describe('The ID of the sender.') }),
        body: z.strictObject({}),
        response: { 200: success(Sender) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      return transact(request, reply, async (tx, found) => ({ status: 200, data: await senders.checked(tx, accountId, id, found) }), {
        before: async () => checkRecords(dns, (await senders.get(accountId, id)).records),
      });
    },
  );
}
