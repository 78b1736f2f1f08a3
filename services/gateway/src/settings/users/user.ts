import { createHash } from 'node:crypto';
import { Email } from '@mp/contracts/contact';
import type { CredentialState } from '@mp/contracts/credential-state';
import { Permission } from '@mp/contracts/permissions';
import { Name } from '@mp/contracts/text';
import { type AccountId, newId, type UserId } from '@mp/ids';
import { z } from 'zod';

/** The owner is an admin that cannot be removed. */
export const Role = z.enum(['owner', 'admin', 'editor', 'viewer']);
export type Role = z.infer<typeof Role>;

export const permissionOf = (role: Role): Permission =>
  (({ owner: 'admin', admin: 'admin', editor: 'read_write', viewer: 'read_only' }) as const)[role];

/** Whether a role has less permission than another one. */
export const isWeaker = (role: Role, other: Role) =>
  Permission.options.indexOf(permissionOf(role)) < Permission.options.indexOf(permissionOf(other));

/** The privileges of a role. */
export const privilegesOf = (role: Role) => ({ permission: permissionOf(role), scopes: null, ip_allow: [], expires_at: null });

/** A user of the dashboard, as the settings API returns it. */
export const User = z
  .object({
    id: z.string().describe('The ID of the user.'),
    name: z.string().describe('The name of the user.'),
    email: z.string().nullable().describe('The email address to sign in with. Null: no password yet.'),
    role: Role,
    permission: Permission.describe('The permission that the role grants.'),
    status: z.enum(['invited', 'active']).describe('`invited`: has not signed in yet.'),
    created_at: z.iso.datetime().describe('When the user was created.'),
    last_signed_in_at: z.iso.datetime().nullable().describe('When the user last signed in. Null: never.'),
    has_second_factor: z.boolean().describe('Whether signing in takes a second factor: an authenticator app or a passkey.'),
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const InvitedUser = User.extend({
  invitation_url: z.string().describe('A link that signs the user in once, within seven days. It is returned only once and is not stored.'),
}).meta({ id: 'InvitedUser' });

/** The email address a user signs in with, in lower case. */
export const SignInEmail = z
  .string()
  .trim()
  .normalize('NFC')
  .pipe(Email)
  .transform((email) => email.toLowerCase());

const PersonName = Name(100);
/** The roles that can be given to a user. */
export const GivenRole = z.enum(['admin', 'editor', 'viewer']);

export const InviteUserBody = z.strictObject({ email: SignInEmail, name: PersonName.optional(), role: GivenRole });

const readOnly = User.omit({ name: true, role: true });
/** Without what changes on its own, which is ignored. */
export const readOnlyFields = Object.keys(readOnly.omit({ last_signed_in_at: true, has_second_factor: true }).shape);
export const UpdateUserBody = z.strictObject({ ...readOnly.shape, name: PersonName, role: Role }).partial();

/** The maximum of users per account. */
export const maxUsers = 200;

/** `password` is a slow hash; null until one is set. */
export type UserRow = {
  id: UserId;
  account_id: AccountId;
  name: string;
  email: string | null;
  role: Role;
  password: string | null;
  created_at: Date;
  last_signed_in_at: Date | null;
  /** Changes in the transaction that adds the first factor or removes the last. */
  has_second_factor: boolean;
};

const newUser = (fields: Pick<UserRow, 'account_id' | 'name' | 'email' | 'role'>, now: Date): UserRow => ({
  id: newId('user'),
  ...fields,
  password: null,
  created_at: now,
  last_signed_in_at: null,
  has_second_factor: false,
});

export const newOwner = (account_id: AccountId, now = new Date()) =>
  newUser({ account_id, name: 'Owner', email: null, role: 'owner' }, now);

export const invitedUser = (account_id: AccountId, { email, name = email, role }: z.output<typeof InviteUserBody>, now = new Date()) =>
  newUser({ account_id, name, email, role }, now);

export const userView = (user: UserRow): User => ({
  id: user.id,
  name: user.name,
  email: user.email,
  role: user.role,
  permission: permissionOf(user.role),
  status: user.last_signed_in_at || user.password ? 'active' : 'invited',
  created_at: user.created_at.toISOString(),
  last_signed_in_at: user.last_signed_in_at?.toISOString() ?? null,
  has_second_factor: user.has_second_factor,
});

/** A fingerprint of a stored password hash, which cannot be used to check passwords. */
export const passwordPrint = (password: string | null) => password && createHash('sha256').update(password).digest('hex');

/** The state that the event of every change carries. */
export const stateOfUser = (
  { role, password }: Pick<UserRow, 'role' | 'password'>,
  ended = false,
): Extract<CredentialState, { of: 'user' }> => ({
  of: 'user',
  ended,
  role,
  password_print: passwordPrint(password ?? null),
});
