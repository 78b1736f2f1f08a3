import { ApiError, unknownPath } from '@mp/contracts/errors';
import type { Exchange } from '../listener/exchange.ts';
import type { Route } from '../routes/route.ts';
import type { RouteTable } from '../routes/route-table.ts';
import { checkTargetSize } from './check-target.ts';

/** The route of the request. Throws NOT_FOUND or METHOD_NOT_ALLOWED if there is none. */
export function findRoute(exchange: Exchange, routes: RouteTable): Route {
  const { method, path, headers } = exchange;
  const route = routes.match(method, path);
  if (route) return route;
  const allowed = routes.methodsOf(path);
  if (allowed.length > 0) {
    headers.allow = allowed.join(', ');
    throw new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allowed.join(', ')}.`);
  }
  checkTargetSize(exchange);
  throw unknownPath(path, routes.nearest(path));
}
