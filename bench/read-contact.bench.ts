import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import autocannon from 'autocannon';
import { compare } from './compare.ts';
import { servers } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

type Request = { method: 'GET'; path: string; headers: Record<string, string> };

/** Enough that no account reaches its burst limit. */
const accounts = 12;

/** GET /v2/contacts/:id directly at the service, and through the gateway with key, permission, limits and quota. */
await withPlatform(
  async (platform) => {
    const keyring = parseKeyring(platform.infra.env.CONTEXT_KEYS ?? '');
    const [direct, through]: [Request[], Request[]] = [[], []];
    for (let index = 0; index < accounts; index += 1) {
      const client = await platform.client('--permission', 'read_write', '--account', `bench-${index}`);
      const { data: contact } = await client.post('/v2/contacts', { email: 'ada@example.com', address: { city: 'Berlin' } });
      const { data: me } = await client.get('/v2/me');
      const context = {
        account_id: me.account.id,
        principal_id: 'bench',
        permission: 'read_only' as const,
        scopes: null,
        request_id: 'req_bench000',
        expires_at: Date.now() + 3_600_000,
      };
      const path = `/v2/contacts/${contact.id}`;
      direct.push({ method: 'GET', path, headers: { [contextHeader]: signContext(keyring, context, 'GET', path) } });
      through.push({ method: 'GET', path, headers: { authorization: `Bearer ${client.key}` } });
    }

    const rate = async (url: string, requests: Request[]) => {
      const result = await autocannon({ url, requests, connections: 32, duration: 4 });
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${result.non2xx} responses were not 2xx and ${result.errors} requests failed, so the result is invalid.`);
      return result.requests.average;
    };
    await compare(`GET /v2/contacts/:id, ${await servers()}`, 'requests/s', [
      { name: 'directly at the service', run: () => rate(platform.urlOf('contacts'), direct) },
      { name: 'through the gateway', run: () => rate(platform.url, through) },
    ]);
  },
  { services: ['contacts', 'gateway'] },
);
