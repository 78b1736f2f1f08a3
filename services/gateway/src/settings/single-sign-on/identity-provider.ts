import { domainKey } from '@mp/contracts/contact';
import { Line, Name } from '@mp/contracts/text';
import { type AccountId, newId } from '@mp/ids';
import { z } from 'zod';
import { GivenRole } from '../users/user.ts';

export type IdentityProviderId = ReturnType<typeof newId<'identityProvider'>>;

/** The maximum of identity providers per account. */
export const maxProviders = 20;

/** A domain in its DNS form. */
export const Domain = z
  .string()
  .trim()
  .max(253)
  .transform((value, context) => {
    const key = domainKey(value);
    if (key === '' || !key.includes('.'))
      context.addIssue({ code: 'custom', message: 'expected a domain such as example.com', params: { code: 'invalid_format' } });
    return key;
  });

/** Without a fragment and query, so that it can be compared with the `iss` of tokens (OpenID Connect Discovery, section 3). */
export const Issuer = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((url) => !/[?#]/.test(url), 'expected a URL without a query and fragment');

/** A scope as OAuth 2.0 allows it (RFC 6749, section 3.3). */
export const OidcScope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'expected a scope without spaces');

const described = {
  name: 'The name on the sign-in page.',
  issuer:
    'The issuer of the provider, such as `https://login.example.com`. Its settings are read from `/.well-known/openid-configuration` below.',
  client_id: 'The ID of the client that is registered with the provider for this platform.',
  scopes: 'The scopes to request; `openid` is always requested.',
  email_domains: 'Only people with a verified email address in these domains may sign in. Empty: no restriction.',
  role_claim: 'The claim with the role or the groups, such as `groups`. Null: the provider does not determine roles.',
  role_mapping: 'The roles by value of the claim; the first that matches applies at each sign-in. The role of the owner does not change.',
  default_role: 'The role of new users, and of users whose claim matches no entry of `role_mapping`. Null: they cannot sign in.',
  just_in_time: 'Whether a person with a verified email address in a verified domain becomes a user at the first sign-in.',
  enabled: 'Whether users can sign in with this provider.',
};

const roleMapping = (entry: z.ZodType<{ value: string; role: z.output<typeof GivenRole> }>) => z.array(entry).max(100);

const fields = {
  name: Name(100).describe(described.name),
  client_id: Line(300).min(1).describe(described.client_id),
  client_secret: z.string().min(1).max(1_000).describe('The secret of the client. It is stored encrypted and never returned.'),
  scopes: z.array(OidcScope).max(20).describe(described.scopes),
  email_domains: z.array(Domain).max(50).describe(described.email_domains),
  role_claim: Line(200).min(1).nullable().describe(described.role_claim),
  role_mapping: roleMapping(z.strictObject({ value: Line(300).min(1), role: GivenRole })).describe(described.role_mapping),
  default_role: GivenRole.nullable().describe(described.default_role),
  just_in_time: z.boolean().describe(described.just_in_time),
  enabled: z.boolean().describe(described.enabled),
};

export const CreateIdentityProviderBody = z.strictObject({
  ...fields,
  issuer: Issuer.describe(described.issuer),
  scopes: fields.scopes.default(['openid', 'email', 'profile']),
  email_domains: fields.email_domains.default([]),
  role_claim: fields.role_claim.default(null),
  role_mapping: fields.role_mapping.default([]),
  // Not by `default`: generators of Go clients write code that does not compile for a default beside null.
  default_role: fields.default_role.optional().describe(`${described.default_role} \`viewer\` if omitted.`),
  just_in_time: fields.just_in_time.default(false),
  enabled: fields.enabled.default(true),
});

/** A provider of identities (OpenID Connect), with which users of the account sign in. */
export const IdentityProvider = z
  .object({
    id: z.string().describe('The ID of the identity provider.'),
    name: z.string().describe(described.name),
    issuer: z.string().describe(described.issuer),
    client_id: z.string().describe(described.client_id),
    scopes: z.array(z.string()).describe(described.scopes),
    email_domains: z.array(z.string()).describe(described.email_domains),
    role_claim: z.string().nullable().describe(described.role_claim),
    role_mapping: roleMapping(
      z.object({ value: z.string().describe('The value of the claim.'), role: GivenRole.describe('The role of these users.') }),
    ).describe(described.role_mapping),
    default_role: GivenRole.nullable().describe(described.default_role),
    just_in_time: z.boolean().describe(described.just_in_time),
    enabled: z.boolean().describe(described.enabled),
    redirect_uri: z.string().describe('The redirect URI to register with the provider.'),
    sign_in_url: z.string().describe('A link to the sign-in page for this provider.'),
    created_at: z.iso.datetime().describe('When the identity provider was created.'),
    updated_at: z.iso.datetime().describe('When the identity provider was last changed.'),
  })
  .meta({ id: 'IdentityProvider' });
export type IdentityProvider = z.infer<typeof IdentityProvider>;

const readOnly = IdentityProvider.pick({
  id: true,
  issuer: true,
  redirect_uri: true,
  sign_in_url: true,
  created_at: true,
  updated_at: true,
});
export const readOnlyFields = Object.keys(readOnly.shape);
export const UpdateIdentityProviderBody = z.strictObject({ ...readOnly.shape, ...fields }).partial();

type Settings = Pick<
  IdentityProvider,
  'name' | 'issuer' | 'client_id' | 'scopes' | 'email_domains' | 'role_claim' | 'role_mapping' | 'default_role' | 'just_in_time' | 'enabled'
>;

/** The secret is known only to the store. */
export type IdentityProviderRow = Settings & { id: IdentityProviderId; account_id: AccountId; created_at: Date; updated_at: Date };

export const newIdentityProvider = (
  account_id: AccountId,
  { client_secret: _, default_role = 'viewer', ...body }: z.output<typeof CreateIdentityProviderBody>,
  now: Date,
): IdentityProviderRow => ({
  ...{ id: newId('identityProvider'), account_id },
  ...{ ...body, default_role },
  ...{ created_at: now, updated_at: now },
});

/** Each provider has a redirect URI of its own, so that no provider can pass its response off as that of another one. */
export const callbackPath = (id: string) => `/auth/single-sign-on/${id}/callback`;

export const identityProviderView = (
  { account_id: _, created_at, updated_at, ...provider }: IdentityProviderRow,
  publicUrl: string,
): IdentityProvider => ({
  ...provider,
  redirect_uri: publicUrl + callbackPath(provider.id),
  sign_in_url: `${publicUrl}/sign-in?provider=${provider.id}`,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

/** The provider after a change. Omitted fields keep their values. */
export const changedProvider = (
  before: IdentityProviderRow,
  change: Omit<z.output<typeof UpdateIdentityProviderBody>, keyof typeof readOnly.shape>,
  now: Date,
): IdentityProviderRow => {
  const { name = before.name, client_id = before.client_id, scopes = before.scopes, email_domains = before.email_domains } = change;
  const { role_claim = before.role_claim, role_mapping = before.role_mapping, default_role = before.default_role } = change;
  const { just_in_time = before.just_in_time, enabled = before.enabled } = change;
  const roles = { role_claim, role_mapping, default_role };
  return { ...before, name, client_id, scopes, email_domains, ...roles, just_in_time, enabled, updated_at: now };
};

/** What the audit log has of a provider. */
export const auditedSettings = ({ id: _, account_id: __, created_at: ___, updated_at: ____, ...settings }: IdentityProviderRow) => settings;
