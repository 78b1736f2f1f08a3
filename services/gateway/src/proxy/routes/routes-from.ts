import type { ServiceName } from '@mp/contracts/services';
import { OpenapiDocument } from '../../documentation/openapi-types.ts';
import { type Route, Routes } from './route.ts';

/** The default limit of services, in bytes. */
const defaultBodyLimit = 1_048_576;

/** The gateway's route table, from the services' own documents (`app.swagger()`), in a stable order. */
export function routesFrom(documents: Partial<Record<ServiceName, unknown>>): Route[] {
  const routes = Object.entries(documents).flatMap(([service, document]) =>
    Object.entries(OpenapiDocument.parse(document).paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        service,
        scope: operation['x-scope'],
        body_limit: operation['x-body-limit'] ?? defaultBodyLimit,
        ...(operation['x-step-up'] && { step_up: true }),
        ...(operation['x-outlives-grants'] && { outlives_grants: true }),
        ...(operation['x-people'] && { people: true }),
      })),
    ),
  );
  return Routes.parse(routes).toSorted((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
