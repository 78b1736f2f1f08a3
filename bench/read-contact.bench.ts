import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import autocannon from 'autocannon';
import { compare } from './compare.ts';
import { withPlatform } from './platform.ts';

/** GET /v2/contacts/:id: at the service itself, and through the gateway with key, permission, limits and quota. */
await withPlatform(
  async (platform) => {
    const client = await platform.client('--permission', 'read_write', '--account', 'bench');
    const { data: contact } = await client.post('/v2/contacts', { email: 'ada@example.com', address: { city: 'Berlin' } });
    const { data: me } = await client.get('/v2/me');
    const path = `/v2/contacts/${contact.id}`;
    const context = {
      account_id: me.account.id,
      principal_id: 'bench',
      permission: 'read_only' as const,
      scopes: null,
      request_id: 'req_bench000',
      expires_at: Date.now() + 3_600_000,
    };
    const signed = signContext(parseKeyring(platform.infra.env.CONTEXT_KEYS ?? ''), context, 'GET', path);

    const rate = async (url: string, headers: Record<string, string>) => {
      const result = await autocannon({ url, headers, connections: 32, duration: 4 });
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} failed: the figure means nothing.`);
      return result.requests.average;
    };
    await compare('GET /v2/contacts/:id', 'requests/s', [
      { name: 'the service itself', run: () => rate(platform.urlOf('contacts') + path, { [contextHeader]: signed }) },
      { name: 'through the gateway', run: () => rate(platform.url + path, { authorization: `Bearer ${client.key}` }) },
    ]);
  },
  { services: ['contacts', 'gateway'] },
);
