import { isDeepStrictEqual } from 'node:util';
import { invalid } from '@mp/contracts/errors';
import { Permission, permissionOfScopes, Scope, scopesOfPermission } from '@mp/contracts/permissions';
import { isUnlimited, SendingLimits } from '@mp/contracts/sending-limits';
import { Line, Name } from '@mp/contracts/text';
import { type AccountId, isId, newId } from '@mp/ids';
import { z } from 'zod';
import { excess, type Privileges } from '../../credentials/privileges.ts';

/** The roles that every account has. The owner is an admin that cannot be removed. */
export const BuiltInRole = z.enum(['owner', 'admin', 'editor', 'viewer']);
export type BuiltInRole = z.infer<typeof BuiltInRole>;

const builtIn: Record<BuiltInRole, { name: string; permission: Permission; description: string }> = {
  owner: { name: 'Owner', permission: 'admin', description: 'An admin that cannot be removed. Every account has one.' },
  admin: { name: 'Admin', permission: 'admin', description: 'Full access, including settings and users.' },
  editor: { name: 'Editor', permission: 'read_write', description: 'Can also create, update, send and delete. No access to settings.' },
  viewer: { name: 'Viewer', permission: 'read_only', description: 'Can read everything except settings.' },
};

export type RoleId = ReturnType<typeof newId<'role'>>;

/** A user's role: a built-in one, or the ID of a custom role of the account. */
export const UserRole = z.union([
  BuiltInRole,
  z
    .string()
    .max(100)
    .refine((text): text is RoleId => isId('role', text), 'expected a built-in role or the ID of a role'),
]);
export type UserRole = BuiltInRole | RoleId;

/**
 * The role of a user, with the scopes and limits of a custom one. Built-in roles have null: all scopes that their permission can use, and no
 * limits.
 */
export type HeldRole = { role: UserRole; role_scopes: Scope[] | null; role_limits: SendingLimits | null };

const isBuiltIn = (role: UserRole): role is BuiltInRole => BuiltInRole.safeParse(role).success;

export const heldBuiltIn = (role: BuiltInRole): HeldRole => ({ role, role_scopes: null, role_limits: null });

/** The privileges of a role. A custom role whose scopes are unknown allows nothing. */
export function privilegesOfRole({ role, role_scopes }: Pick<HeldRole, 'role' | 'role_scopes'>): Privileges {
  const [permission, scopes] = isBuiltIn(role)
    ? [builtIn[role].permission, null]
    : [permissionOfScopes(role_scopes ?? []), role_scopes ?? []];
  return { permission, scopes, ip_allow: [], expires_at: null };
}

/** Whether a role may lack something that another one has. */
export const isWeaker = (role: HeldRole, other: HeldRole) =>
  excess(privilegesOfRole(role), privilegesOfRole(other)) !== undefined ||
  (role.role_limits !== null && !isDeepStrictEqual(role.role_limits, other.role_limits));

/** A role as the settings API returns it. */
export const Role = z
  .object({
    id: z.string().describe('The value for the `role` of a user: the name of a built-in role, or the ID of a custom one.'),
    name: z.string().describe('The name of the role.'),
    description: z.string().describe('What the role is for.'),
    permission: Permission.describe('The least permission with which all scopes of the role can be used.'),
    scopes: z.array(Scope).describe('What users with the role may do. Built-in roles also have the scopes of later releases.'),
    sending_limits: SendingLimits.nullable().describe('What users with the role may send and activate. Null: everything.'),
    built_in: z.boolean().describe('Whether every account has the role. Built-in roles cannot be changed or deleted.'),
    created_at: z.iso.datetime().nullable().describe('When the role was created. Null: built in.'),
    updated_at: z.iso.datetime().nullable().describe('When the role was last changed. Null: built in.'),
  })
  .meta({ id: 'Role' });
export type Role = z.infer<typeof Role>;

export const RoleName = Name(60).refine(
  (name) => !BuiltInRole.options.some((role) => role === name.toLowerCase()),
  'expected a name that no built-in role has',
);

export const CreateRoleBody = z.strictObject({
  name: RoleName.describe('The name of the role, unique in the account.'),
  description: Line(300).default('').describe('What the role is for.'),
  scopes: z.array(Scope).min(1).max(50).describe('What users with the role may do. The caller must have all of these scopes.'),
  sending_limits: SendingLimits.nullable()
    .default(null)
    .describe('What users with the role may send and activate. Null: everything. A role with limits cannot have scopes of settings.'),
});

const readOnly = Role.pick({ id: true, permission: true, built_in: true, created_at: true, updated_at: true });
export const readOnlyFields = Object.keys(readOnly.shape);
export const UpdateRoleBody = z
  .strictObject({ ...CreateRoleBody.shape, description: Line(300), sending_limits: SendingLimits.nullable(), ...readOnly.shape })
  .partial();

/** The maximum of custom roles per account. */
export const maxRoles = 50;

export type RoleRow = {
  id: RoleId;
  account_id: AccountId;
  name: string;
  description: string;
  scopes: Scope[];
  sending_limits: SendingLimits | null;
  created_at: Date;
  updated_at: Date;
};

export const newRole = (
  account_id: AccountId,
  { name, description, scopes, sending_limits }: z.output<typeof CreateRoleBody>,
  now = new Date(),
): RoleRow => ({
  ...{ id: newId('role'), account_id, name, description, scopes: [...new Set(scopes)], sending_limits: effectiveLimits(sending_limits) },
  ...{ created_at: now, updated_at: now },
});

/** Limits that allow everything are none. */
export const effectiveLimits = (limits: SendingLimits | null) => (limits && isUnlimited(limits) ? null : limits);

/** Throws VALIDATION_ERROR if users with the role could give themselves or a key more than its limits. */
export function requireTightLimits({ scopes, sending_limits }: Pick<RoleRow, 'scopes' | 'sending_limits'>) {
  if (sending_limits === null || !scopes.some((scope) => scope.startsWith('settings:'))) return;
  const message = 'A role that may send only some emails cannot have scopes of settings, with which it could lift its limits.';
  throw invalid('/sending_limits', 'too_powerful', message);
}

export const heldOf = ({ id, scopes, sending_limits }: RoleRow): HeldRole => ({
  ...{ role: id, role_scopes: scopes, role_limits: sending_limits },
});

export const roleView = ({ id, name, description, scopes, sending_limits, created_at, updated_at }: RoleRow): Role => ({
  ...{ id, name, description, permission: permissionOfScopes(scopes), scopes, sending_limits, built_in: false },
  ...{ created_at: created_at.toISOString(), updated_at: updated_at.toISOString() },
});

export const builtInView = (role: BuiltInRole): Role => ({
  ...{ id: role, ...builtIn[role], scopes: scopesOfPermission(builtIn[role].permission), sending_limits: null, built_in: true },
  ...{ created_at: null, updated_at: null },
});
