import type { CredentialState } from '@mp/contracts/credential-state';
import { Permission, Scope, scopesOfPermission } from '@mp/contracts/permissions';
import { type AccountId, newId, type OauthClientId, type PrincipalId, type UserId } from '@mp/ids';
import { z } from 'zod';
import type { MadeFor } from '../../credentials/made-by.ts';
import type { Privileges } from '../../credentials/privileges.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { scopesVersion } from '../../credentials/stored-scopes.ts';
import { newSecret } from '../../credentials/token-format.ts';
import { KeyName, narrowing } from '../api-keys/api-key-body.ts';
import { RedirectUri } from './redirect-uri.ts';

/**
 * A program that gets access tokens: for its own account with the client_credentials grant, and for the accounts of users who connect it
 * with the authorization_code grant. Its id is its `client_id`.
 */
export const OauthClient = z
  .object({
    id: z.string().describe('The `client_id`.'),
    name: z.string().describe('A name that says what the client is for.'),
    permission: Permission,
    scopes: z.array(Scope).nullable().describe('The scopes that narrow the permission. Null: all scopes.'),
    ip_allow: z.array(z.string()).describe('IP addresses and CIDR ranges its tokens may be used from. Empty: any address.'),
    redirect_uris: z
      .array(z.string())
      .describe('Where users return to after they have connected this application to their account. Empty: users cannot connect it.'),
    confidential: z
      .boolean()
      .describe('Whether the application can keep a secret. False for apps on a device: they get the tokens of users by PKCE alone.'),
    status: z.enum(['active', 'revoked']),
    secrets: z
      .array(z.object({ last4: z.string(), created_at: z.iso.datetime(), expires_at: z.iso.datetime().nullable() }))
      .describe(
        'The valid secrets; two during the grace period of a rotated one. A secret created by a key or token that expires, expires with it.',
      ),
    created_by: z.string().nullable().describe('The user, key or OAuth client that created it.'),
    created_at: z.iso.datetime().describe('When the client was created.'),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .describe('When one of its tokens was last used. Null: never. Up to a minute late if several gateways run.'),
    revoked_at: z.iso.datetime().nullable().describe('When the client was revoked. Null: not revoked.'),
  })
  .meta({ id: 'OauthClient' });
export type OauthClient = z.infer<typeof OauthClient>;

export const CreatedOauthClient = OauthClient.extend({
  client_secret: z.string().describe('The secret itself. It is returned only once and is not stored.'),
}).meta({ id: 'CreatedOauthClient' });

export const CreateOauthClientBody = z.strictObject({
  name: KeyName.describe('A name that says what the client is for.'),
  permission: Permission,
  ...narrowing,
  redirect_uris: z
    .array(RedirectUri)
    .max(10)
    .optional()
    .describe('Where users return to after they have connected this application. Empty or omitted: users cannot connect it.'),
  confidential: z
    .boolean()
    .optional()
    .describe(
      'Whether the application can keep a secret; true if omitted. Send false for apps on a device. Pages of other sites cannot call the API, so an app in a browser needs a server.',
    ),
});

const readOnly = OauthClient.pick({
  id: true,
  status: true,
  secrets: true,
  created_by: true,
  created_at: true,
  last_used_at: true,
  revoked_at: true,
});
/** Without `last_used_at`, which changes on its own and is ignored. */
export const readOnlyFields = Object.keys(readOnly.omit({ last_used_at: true }).shape);
export const UpdateOauthClientBody = z.strictObject({ ...CreateOauthClientBody.shape, ...readOnly.shape }).partial();

export type ClientSecret = MadeFor & { hash: string; last4: string; created_at: Date; expires_at: Date | null };

export type OauthClientRow = {
  id: OauthClientId;
  account_id: AccountId;
  name: string;
  permission: Permission;
  scopes: Scope[] | null;
  scopes_version: number;
  ip_allow: string[];
  redirect_uris: string[];
  confidential: boolean;
  secrets: ClientSecret[];
  created_by: PrincipalId | null;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

/** `expires_at`: when the creating key or token expires; null if it does not. */
export function newClientSecret(
  now: Date,
  expires_at: Date | null,
  created_for: UserId | null = null,
): { text: string; secret: ClientSecret } {
  const text = newSecret('clientSecret');
  return { text, secret: { hash: secretHash(text), last4: text.slice(-4), created_for, created_at: now, expires_at } };
}

type Wanted = z.output<typeof CreateOauthClientBody> & { created_by: PrincipalId | null };

export const newOauthClient = (accountId: AccountId, wanted: Wanted, secret: ClientSecret, now: Date): OauthClientRow => ({
  id: newId('client'),
  account_id: accountId,
  name: wanted.name,
  permission: wanted.permission,
  scopes: wanted.scopes ? [...new Set(wanted.scopes)] : null,
  scopes_version: scopesVersion,
  ip_allow: wanted.ip_allow ?? [],
  redirect_uris: wanted.redirect_uris ?? [],
  confidential: wanted.confidential ?? true,
  secrets: [secret],
  created_by: wanted.created_by,
  created_at: now,
  last_used_at: null,
  revoked_at: null,
});

export const workingSecrets = (client: OauthClientRow, now: Date) =>
  client.revoked_at ? [] : client.secrets.filter(({ expires_at }) => expires_at === null || expires_at > now);

export const oauthClientView = (client: OauthClientRow, now = new Date()): OauthClient => ({
  id: client.id,
  name: client.name,
  permission: client.permission,
  scopes: client.scopes,
  ip_allow: client.ip_allow,
  redirect_uris: client.redirect_uris,
  confidential: client.confidential,
  status: client.revoked_at ? 'revoked' : 'active',
  secrets: workingSecrets(client, now).map(({ last4, created_at, expires_at }) => ({
    last4,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
  })),
  created_by: client.created_by,
  created_at: client.created_at.toISOString(),
  last_used_at: client.last_used_at?.toISOString() ?? null,
  revoked_at: client.revoked_at?.toISOString() ?? null,
});

/** The privileges of a client. They expire with its last secret. */
export function clientPrivileges(client: OauthClientRow, now: Date): Privileges {
  const ends = workingSecrets(client, now).map(({ expires_at }) => expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
  const last = Math.max(...ends);
  return { ...client, expires_at: Number.isFinite(last) ? new Date(last) : null };
}

/** The scopes that the permission allows to use, within the scopes that narrow it. */
export const scopesOf = ({ permission, scopes }: Pick<Privileges, 'permission' | 'scopes'>): Scope[] =>
  scopesOfPermission(permission).filter((scope) => scopes === null || scopes.includes(scope));

/** The effective scopes of a token: those requested that its client still has. */
export function tokenScopes(token: readonly Scope[] | null, client: readonly Scope[] | null): Scope[] | null {
  if (token === null) return client && [...client];
  return client === null ? [...token] : token.filter((scope) => client.includes(scope));
}

/** The state that the event of every change carries. */
export const stateOfClient = ({
  revoked_at,
  permission,
  scopes,
  scopes_version,
  ip_allow,
  redirect_uris,
  confidential,
  secrets,
}: Omit<OauthClientRow, 'id'>): Extract<CredentialState, { of: 'client' }> => ({
  of: 'client',
  ended: revoked_at !== null,
  permission,
  scopes,
  scopes_version,
  ip_allow,
  redirect_uris,
  confidential,
  secrets: secrets.map(({ hash, last4, created_for, created_at, expires_at }) => ({
    ...(created_for && { created_for }),
    ...{ hash, last4, created_at: created_at.toISOString(), expires_at: expires_at?.toISOString() ?? null },
  })),
});
