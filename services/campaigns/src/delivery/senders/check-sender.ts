import { success } from '@mp/contracts/envelope';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { checkRecords, type DnsResolver } from './check-records.ts';
import { type DnsRecord, Sender } from './sender.ts';
import type { SendersStore } from './senders-store.ts';

export function checkSender(app: Server, { senders, dns, transact }: { senders: SendersStore; dns: DnsResolver; transact: Transact }) {
  const check = async (accountId: AccountId, id: string) => {
    const { records } = await senders.get(accountId, id);
    return checkRecords(dns, records);
  };

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
        querystring: noQuery,
        body: z.strictObject({}),
        response: { 200: success(Sender) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      let found: DnsRecord[] | undefined;
      return transact(
        request,
        reply,
        async (tx) => ({ status: 200, data: await senders.checked(tx, accountId, id, found ?? (await check(accountId, id))) }),
        {
          before: async () => {
            found = await check(accountId, id);
          },
        },
      );
    },
  );
}
