import { Scope } from '@mp/contracts/permissions';
import { ServiceName } from '@mp/contracts/services';
import { z } from 'zod';

/**
 * One operation of the API: its service, the required scope (null: any credential), the maximum body size in bytes, whether a user of
 * the dashboard proves a second factor again, whether what it gives would outlive the grant of a connected application, and whether it is
 * only for users, who may then have any role.
 */
export const Route = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']),
  path: z.string().regex(/^\/v2(\/([a-z0-9-]+(\.[a-z]+)?|\{[a-z_]+\}))*$/, 'expected /v2/… with {parameters} as whole segments'),
  service: ServiceName,
  scope: Scope.nullable(),
  body_limit: z.number().int().positive(),
  step_up: z.literal(true).optional(),
  outlives_grants: z.literal(true).optional(),
  people: z.literal(true).optional(),
});
export type Route = z.infer<typeof Route>;

/** The whole table. Each operation belongs to exactly one service. */
export const Routes = z.array(Route).superRefine((routes, context) => {
  const seen = new Map<string, string>();
  for (const { method, path, service } of routes) {
    const operation = `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`;
    const other = seen.get(operation);
    if (other !== undefined) context.addIssue({ code: 'custom', message: `${operation} is claimed by ${other} and by ${service}` });
    seen.set(operation, service);
  }
});

/** A route that needs no credential. `publicRoutes` lists all of them. */
export type PublicRoute = {
  /** The path, with `{}` for any one segment; or, ending in `/*`, everything below it. */
  path: string;
  service: ServiceName;
  methods: readonly string[];
  /** Request headers to forward in addition to the usual ones. */
  headers: readonly string[];
  body_limit: number;
  /** Handled in this process, without a pooled connection. */
  inProcess?: true;
};
