import { createHash } from 'node:crypto';
import { Email } from '@mp/contracts/contact';
import type { CredentialState } from '@mp/contracts/credential-state';
import { Permission, Scope } from '@mp/contracts/permissions';
import type { SendingLimits } from '@mp/contracts/sending-limits';
import { Name } from '@mp/contracts/text';
import { type AccountId, newId, type UserId } from '@mp/ids';
import { z } from 'zod';
import { type BuiltInRole, type HeldRole, heldBuiltIn, privilegesOfRole, UserRole } from '../roles/role.ts';

export const permissionOf = (held: HeldRole): Permission => privilegesOfRole(held).permission;

/** The privileges of a built-in role. */
export const privilegesOf = (role: BuiltInRole) => privilegesOfRole(heldBuiltIn(role));

/** A user of the dashboard, as the settings API returns it. */
export const User = z
  .object({
    id: z.string().describe('The ID of the user.'),
    name: z.string().describe('The name of the user.'),
    email: z.string().nullable().describe('The email address to sign in with. Null: no password yet.'),
    role: UserRole.describe('A built-in role, or the ID of a custom role.'),
    permission: Permission.describe('The permission that the role grants.'),
    scopes: z.array(Scope).nullable().describe('The scopes of a custom role. Null: all scopes that the permission can use.'),
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
/** The built-in roles that can be given to a user. Identity providers map to these only. */
export const GivenRole = z.enum(['admin', 'editor', 'viewer']);

export const InviteUserBody = z.strictObject({
  email: SignInEmail,
  name: PersonName.optional(),
  role: UserRole.refine((role) => role !== 'owner', 'expected another role than owner: an account has exactly one').describe(
    'A built-in role other than owner, or the ID of a custom role.',
  ),
});

const readOnly = User.omit({ name: true, role: true });
/** Without what changes on its own, which is ignored. */
export const readOnlyFields = Object.keys(readOnly.omit({ last_signed_in_at: true, has_second_factor: true }).shape);
export const UpdateUserBody = z.strictObject({ ...readOnly.shape, name: PersonName, role: UserRole }).partial();

/** The maximum of users per account. */
export const maxUsers = 200;

/** `password` is a slow hash; null until one is set. */
export type UserRow = {
  id: UserId;
  account_id: AccountId;
  name: string;
  email: string | null;
  role: UserRole;
  /** The scopes of a custom role, as that role has them: a change of the role changes its users in the same transaction. */
  role_scopes: Scope[] | null;
  /** The limits of a custom role, in the same way. */
  role_limits: SendingLimits | null;
  password: string | null;
  created_at: Date;
  last_signed_in_at: Date | null;
  /** Changes in the transaction that adds the first factor or removes the last. */
  has_second_factor: boolean;
};

const newUser = (fields: Pick<UserRow, 'account_id' | 'name' | 'email' | keyof HeldRole>, now: Date): UserRow => ({
  id: newId('user'),
  ...fields,
  password: null,
  created_at: now,
  last_signed_in_at: null,
  has_second_factor: false,
});

export const newOwner = (account_id: AccountId, now = new Date()) =>
  newUser({ account_id, name: 'Owner', email: null, ...heldBuiltIn('owner') }, now);

type Invited = { email: string; name?: string | undefined; role: UserRole } & Partial<Omit<HeldRole, 'role'>>;

export const invitedUser = (
  account_id: AccountId,
  { email, name = email, role, role_scopes = null, role_limits = null }: Invited,
  now = new Date(),
) => newUser({ account_id, name, email, role, role_scopes, role_limits }, now);

export const userView = (user: UserRow): User => ({
  id: user.id,
  name: user.name,
  email: user.email,
  role: user.role,
  permission: permissionOf(user),
  scopes: user.role_scopes,
  status: user.last_signed_in_at || user.password ? 'active' : 'invited',
  created_at: user.created_at.toISOString(),
  last_signed_in_at: user.last_signed_in_at?.toISOString() ?? null,
  has_second_factor: user.has_second_factor,
});

/** A fingerprint of a stored password hash, which cannot be used to check passwords. */
export const passwordPrint = (password: string | null) => password && createHash('sha256').update(password).digest('hex');

/** The state that the event of every change carries. */
export const stateOfUser = (
  { role, role_scopes, role_limits, password }: Pick<UserRow, 'password' | keyof HeldRole>,
  ended = false,
): Extract<CredentialState, { of: 'user' }> => ({
  of: 'user',
  ended,
  role,
  scopes: role_scopes,
  sending_limits: role_limits,
  password_print: passwordPrint(password ?? null),
});
