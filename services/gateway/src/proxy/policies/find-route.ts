import { ApiError, unknownPath } from '@mp/contracts/errors';
import { routeClassOf } from '../../quotas/usage-breakdown.ts';
import type { Exchange } from '../exchange.ts';
import { isOfForms, publicRoute } from '../routes/public-routes.ts';
import type { Route } from '../routes/route.ts';
import type { RouteTable } from '../routes/route-table.ts';

/**
 * Finds the route of the request. Throws NOT_FOUND or METHOD_NOT_ALLOWED if there is none. Nothing under /v2 is public, and the host of
 * forms serves nothing else.
 */
export function findRoute(exchange: Exchange, routes: RouteTable) {
  if (isOfForms(exchange) && !exchange.path.startsWith('/f/')) throw unknownPath(exchange.path);
  if (exchange.pathGroup !== 'api') {
    exchange.route = publicRoute(exchange, routes);
    return;
  }
  const route = apiRoute(exchange, routes);
  exchange.route = route;
  exchange.routeClass = routeClassOf(route.scope);
}

function apiRoute({ method, path, headers }: Exchange, routes: RouteTable): Route {
  const route = routes.match(method, path);
  if (route) return route;
  const allowed = routes.methodsOf(path);
  if (allowed.length === 0) throw unknownPath(path, routes.nearest(path));
  headers.allow = allowed.join(', ');
  throw new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allowed.join(', ')}.`);
}
