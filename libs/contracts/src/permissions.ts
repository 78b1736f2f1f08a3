import { isId } from '@mp/ids';
import { z } from 'zod';

/** The permissions of a credential, from least to most powerful. */
export const Permission = z.enum(['read_only', 'read_write', 'admin']).meta({ id: 'Permission' });
export type Permission = z.infer<typeof Permission>;

/** Scopes only restrict a permission. Each route requires exactly one. */
export const scopes = [
  'contacts:read',
  'contacts:write',
  'contacts:export',
  'contacts:erase',
  'segments:read',
  'segments:write',
  'campaigns:read',
  'campaigns:write',
  'campaigns:send',
  'leadpulse:read',
  'leadpulse:write',
  'workflows:read',
  'workflows:write',
  'workflows:activate',
  'webhooks:read',
  'webhooks:write',
  'settings:read',
  'settings:write',
  'settings:keys',
] as const;
export const Scope = z.enum(scopes).meta({ id: 'Scope' });
export type Scope = z.infer<typeof Scope>;

const methodsOf: Record<Permission, readonly string[]> = {
  read_only: ['GET', 'HEAD'],
  read_write: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  admin: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
};

export type Grant = { permission: Permission; scopes: readonly Scope[] | null };

/** Scopes that require the permission admin: settings, and where the account's data is sent. */
export const requiresAdmin = (scope: Scope) => scope.startsWith('settings:') || scope === 'webhooks:write';

/** Whether the scope has operations that only read. The file of an export is downloaded with `contacts:export`. */
const isReadable = (scope: Scope) => scope.endsWith(':read') || scope === 'contacts:export';

/** The scopes that a permission can use. */
export const scopesOfPermission = (permission: Permission): Scope[] =>
  scopes.filter((scope) => (permission === 'admin' || !requiresAdmin(scope)) && (permission !== 'read_only' || isReadable(scope)));

/** The least permission with which all of these scopes can be used. */
export function permissionOfScopes(held: readonly Scope[]): Permission {
  if (held.some(requiresAdmin)) return 'admin';
  return held.every((scope) => scope.endsWith(':read')) ? 'read_only' : 'read_write';
}

/**
 * The method by which a request is judged. A user may also write with a role that only reads, where the route is for people: commenting
 * changes nothing of what the role protects.
 */
export const judgedMethod = (method: string, principalId: string, isForPeople = false) =>
  isForPeople && isId('user', principalId) ? 'GET' : method;

/** Why the grant does not allow the request; undefined when it does. `scope` is null for routes open to any credential. */
export function refusal(grant: Grant, method: string, scope: Scope | null): string | undefined {
  if (!methodsOf[grant.permission].includes(method)) {
    return `A ${grant.permission} credential cannot ${method}; use one with the permission read_write or admin.`;
  }
  if (scope && requiresAdmin(scope) && grant.permission !== 'admin') {
    return `${scope.startsWith('settings:') ? 'Settings' : 'Changes of webhooks'} require a credential with the permission admin.`;
  }
  if (scope && grant.scopes && !grant.scopes.includes(scope)) {
    return `This credential lacks the scope ${scope}.`;
  }
  return undefined;
}
