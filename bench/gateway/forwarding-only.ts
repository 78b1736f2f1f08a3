import { newId } from '@mp/ids';
import { readEnv } from '@mp/service-kit/env';
import { createParts } from '@mp/service-kit/service-parts';
import { z } from 'zod';
import { anyAddress, credentialOf } from '../../services/gateway/src/credentials/credential.ts';
import { gatewayEnv } from '../../services/gateway/src/env.ts';
import { createBodyMemory } from '../../services/gateway/src/proxy/forwarding/body-memory.ts';
import { createUpstreams } from '../../services/gateway/src/proxy/forwarding/upstreams.ts';
import { createListener } from '../../services/gateway/src/proxy/listener/listener.ts';
import { createListenerMetrics } from '../../services/gateway/src/proxy/listener/listener-metrics.ts';
import { checkHeaders, checkTarget } from '../../services/gateway/src/proxy/policies/check-url-and-headers.ts';
import { findRoute } from '../../services/gateway/src/proxy/policies/find-route.ts';
import { forwardRequest } from '../../services/gateway/src/proxy/policies/forward-request.ts';
import { policy } from '../../services/gateway/src/proxy/policies/policy.ts';
import { generatedRoutes } from '../../services/gateway/src/proxy/routes/generated-config.ts';
import { createRouteTable } from '../../services/gateway/src/proxy/routes/route-table.ts';
import { decidingAccount, newAccount } from '../../services/gateway/src/settings/accounts/account.ts';

/** Our gateway without its policies: every request is signed for the service as one caller with full access. */
const env = readEnv(gatewayEnv);
const parts = createParts({ name: 'gateway', ...env });
const routes = createRouteTable(generatedRoutes());
const anybody = credentialOf(
  { kind: 'key', id: newId('key'), hash: '', permission: 'admin', scopes: null, expires_at: null, allowsAddress: anyAddress },
  decidingAccount(newAccount({ name: 'anybody', plan: 'enterprise', daily_requests: null })),
);
const maxBytes = z.int();
const upstreams = createUpstreams({ contacts: env.CONTACTS_URL }, Date.now);
const bodyMemory = createBodyMemory();
const nothing = policy([], {}, () => undefined);
const door = createListener({
  host: env.HOST,
  port: env.PORT,
  trustedProxies: [],
  parts,
  upstreams,
  policies: {
    authenticate: policy([], {}, (exchange) => {
      exchange.credential = anybody;
    }),
    'check-address': nothing,
    'burst-limit': nothing,
    'check-target': policy([], { maxBytes }, checkTarget),
    'check-headers': policy([], { maxBytes }, checkHeaders),
    'find-route': policy([], {}, (exchange) => findRoute(exchange, routes)),
    authorize: nothing,
    'daily-quota': policy([], { uncharged: z.array(z.string()) }, () => undefined),
    forward: policy([], {}, (exchange) =>
      forwardRequest(exchange, {
        endOnceRevoked: () => undefined,
        upstreams,
        bodyMemory,
        handleHealth: (_req, res) => void res.writeHead(404).end(),
        contextKeys: parts.contextKeys,
      }),
    ),
  },
  requestParts: { bodyMemory, now: Date.now, site: { publicUrl: '', headers: {} }, metrics: createListenerMetrics(parts.metrics) },
});
await door.start('http://127.0.0.1:9');
console.log('ready');
