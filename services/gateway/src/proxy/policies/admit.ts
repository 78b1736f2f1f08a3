import type { Credential } from '../../credentials/credential.ts';
import { routeClassOf } from '../../quotas/usage-shares.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { Route } from '../routes/route.ts';
import type { RouteTable } from '../routes/route-table.ts';
import { type AuthenticateParts, authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { chargeQuota, type QuotaParts } from './charge-quota.ts';
import { checkAddress } from './check-address.ts';
import { checkTarget } from './check-target.ts';
import { findRoute } from './find-route.ts';
import { type BurstParts, enforceBurstLimit } from './rate-limit.ts';

export type AdmitParts = AuthenticateParts & BurstParts & QuotaParts & { routes: RouteTable };

/** Admits a request to the API: returns its credential and route, or throws the error for the client. */
export type Admit = (exchange: Exchange) => Promise<{ credential: Credential; route: Route }>;

/**
 * Runs all policies of the API, in this order. The daily quota is charged only once the request is known and permitted.
 * Awaits only where necessary, because an await costs each request more than most of these policies do.
 */
export function createAdmit(parts: AdmitParts): Admit {
  return async (exchange) => {
    exchange.routeClass = 'unknown';
    const found = authenticate(exchange, parts);
    const credential = found instanceof Promise ? await found : found;
    checkAddress(exchange, credential, parts.failedAuths);
    const remaining = enforceBurstLimit(exchange, credential, parts);
    checkTarget(exchange);
    const route = findRoute(exchange, parts.routes);
    exchange.route = route.path;
    exchange.routeClass = routeClassOf(route.scope);
    authorize(exchange, credential, route);
    const charged = chargeQuota(exchange, { credential, route, remaining }, parts);
    if (charged !== undefined) await charged;
    return { credential, route };
  };
}
