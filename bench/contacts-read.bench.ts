import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { createServer } from '@mp/service-kit/create-server';
import autocannon from 'autocannon';
import { z } from 'zod';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { row, withContacts } from './contacts-service.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const duration = Number(process.env.BENCH_SECONDS ?? 4);
const connections = 32;
const names = { empty: 'an empty route with the same schema', read: 'GET /v2/contacts/:id' };

/** GET /v2/contacts/:id compared with a route of the same server and schema that returns a contact from memory. */
await withContacts(async ({ parts, service, headersFor, call, newAccountId }) => {
  const accountId = newAccountId();
  const contact = await call(accountId, { method: 'POST', path: '/v2/contacts', payload: row(1) });
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
    const result = await autocannon({ url, requests, connections, duration });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} responses were not 2xx`);
    return result.requests.average;
  };
  const figures = await compare(
    'Read by id',
    'requests/s',
    [
      { name: names.empty, run: () => rate(urls[0]) },
      { name: names.read, run: () => rate(urls[1]) },
    ],
    rounds,
  );
  const [base = Number.NaN, read = Number.NaN] = [names.empty, names.read].map((name) => figures.get(name)?.median ?? Number.NaN);
  await writeResults({
    name: 'contacts-read',
    title: 'Contacts: reading one',
    how: `the service and a route that returns a contact from memory, in one process, each requested over HTTP on ${connections} connections for ${duration} s per round; ${rounds} interleaved rounds after a warm-up.`,
    table: comparison('requests/s', figures),
    aims: [['read by id / an empty route with the same schema', '≥ 0.5', (read / base).toFixed(2)]],
  });
  await empty.close();
});
