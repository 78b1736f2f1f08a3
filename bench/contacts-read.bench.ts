import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { createServer } from '@mp/service-kit/create-server';
import autocannon from 'autocannon';
import { z } from 'zod';
import { compare } from './compare.ts';
import { row, withContacts } from './contacts-service.ts';

/** GET /v2/contacts/:id beside a route of the same server and schema that answers a contact it holds in memory. */
await withContacts(async ({ parts, service, headersFor, call, newAccount }) => {
  const accountId = newAccount();
  const contact = await call(accountId, 'POST', '/v2/contacts', row(1));
  const path = `/v2/contacts/${contact.id}`;
  const empty = createServer(parts);
  empty.get(
    '/v2/contacts/:id',
    { config: { scope: 'contacts:read' }, schema: { params: z.object({ id: z.string() }), response: { 200: success(Contact) } } },
    async () => ({ success: true as const, data: contact }),
  );
  const urls = [await empty.listen({ host: '127.0.0.1', port: 0 }), await service.app.listen({ host: '127.0.0.1', port: 0 })] as const;

  const rate = async (url: string) => {
    const requests = [{ method: 'GET' as const, path, headers: headersFor('GET', path, accountId) }];
    const result = await autocannon({ url, requests, connections: 32, duration: 4 });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were not 2xx`);
    return result.requests.average;
  };
  await compare('Read by id', 'requests/s', [
    { name: 'an empty route with the same schema', run: () => rate(urls[0]) },
    { name: 'GET /v2/contacts/:id', run: () => rate(urls[1]) },
  ]);
  await empty.close();
});
