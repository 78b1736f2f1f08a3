import { upstreamNames, urlVariable } from '@mp/contracts/services';
import { commonEnv, readEnv } from '@mp/service-kit/env';
import { createParts } from '@mp/service-kit/service-parts';
import { newAccount } from '../../services/gateway/src/settings/accounts/account.ts';
import { newApiKey } from '../../services/gateway/src/settings/api-keys/new-api-key.ts';
import { createStores } from '../../services/gateway/src/settings/stores.ts';
import { containerHeap } from '../container-heap.ts';
import { measuredCore, startPinned } from './pinned.ts';

type Config = { env: Record<string, string>; port: number; upstream: string };

/** Our gateway as shipped, with the heap of the container in the chart; one upstream stands in for every service. */
export function startOurs(config: Config) {
  const main = new URL('../../services/gateway/src/main.ts', import.meta.url).pathname;
  return startPinned(measuredCore, process.execPath, [...containerHeap, main], {
    env: envOf(config),
    ready: async () => (await fetch(`http://127.0.0.1:${config.port}/health/ready`)).ok,
  });
}

/** Our gateway without its policies. */
export function startForwardingOnly(config: Config) {
  const file = new URL('forwarding-only.ts', import.meta.url).pathname;
  return startPinned(measuredCore, process.execPath, [...containerHeap, file], { env: envOf(config) });
}

function envOf({ env, port, upstream }: Config): Record<string, string> {
  const services = upstreamNames.map((name) => [urlVariable(name), upstream]);
  return { ...env, ...Object.fromEntries(services), HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', NODE_ENV: 'production' };
}

/** Creates accounts with keys in the database of the gateway. Returns Authorization headers. `daily` null: no daily quota. */
export async function makeKeys({
  env,
  name,
  accounts,
  each,
  daily,
}: {
  env: Record<string, string>;
  name: string;
  accounts: number;
  each: number;
  daily: number | null;
}): Promise<string[]> {
  const parts = createParts({ ...readEnv(commonEnv, { ...env, LOG_LEVEL: 'silent' }), name: 'gateway' });
  await parts.mongo.start(() => undefined);
  await parts.prepare();
  const stores = createStores(parts);
  await stores.prepare();
  const keys: string[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const account = await stores.accounts.ensure(newAccount({ name: `${name} ${index}`, plan: 'enterprise', daily_requests: daily }));
    await parts.mongo.transaction({ correlationId: 'bench', causationId: null }, async (tx) => {
      for (let count = 0; count < each; count += 1) {
        const { text, key } = newApiKey(account.id, { name: 'bench', permission: 'read_write', created_by: null });
        await stores.apiKeys.insert(tx, key);
        keys.push(`Bearer ${text}`);
      }
    });
  }
  await parts.mongo.stop();
  return keys;
}
