import type { Credential } from '../credentials/credential.ts';
import type { Exchange } from '../door/exchange.ts';
import type { Route } from '../routes/route.ts';
import type { RouteTable } from '../routes/route-table.ts';
import { routeClassOf } from '../usage/usage-shares.ts';
import { type AuthenticateParts, authenticate } from './authenticate.ts';
import { checkTarget } from './check-target.ts';
import { findRoute } from './find-route.ts';
import { type LimitParts, limitRequests } from './limit-requests.ts';
import { permit } from './permit.ts';

export type AdmitParts = AuthenticateParts & LimitParts & { routes: RouteTable };

/** Who may make this request of the API, and which operation it is. Throws what the caller is told when nobody may. */
export type Admit = (exchange: Exchange) => Promise<{ credential: Credential; route: Route }>;

/** Every policy of the API, in this order: what a request costs is counted only when it is known and permitted. */
export function createAdmit(parts: AdmitParts): Admit {
  return async (exchange) => {
    exchange.routeClass = 'unknown';
    const credential = await authenticate(exchange, parts);
    checkTarget(exchange);
    const route = findRoute(exchange, parts.routes);
    exchange.routeClass = routeClassOf(route.scope);
    permit(exchange, credential, route);
    await limitRequests(exchange, credential, route, parts);
    return { credential, route };
  };
}
