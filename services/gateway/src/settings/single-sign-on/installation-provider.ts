import { Line, Name } from '@mp/contracts/text';
import { z } from 'zod';
import { Domain, type IdentityProviderRow, Issuer, OidcScope } from './identity-provider.ts';

/** Without the underscore that the IDs of accounts' providers have, so that no two providers have the same ID. */
const ProviderId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected lower-case letters, digits and hyphens, such as acme');

const Settings = z.strictObject({
  id: ProviderId,
  name: Name(100),
  issuer: Issuer,
  client_id: Line(300).min(1),
  client_secret: z.string().min(1).max(1_000),
  scopes: z.array(OidcScope).max(20).default(['openid', 'email', 'profile']),
  email_domains: z.array(Domain).max(50).default([]),
});

/**
 * A provider that the operator has configured for every account. It determines no roles; whether it creates users is a setting of each
 * account. It exists as long as the process does.
 */
export type InstallationProvider = z.output<typeof Settings> &
  Pick<IdentityProviderRow, 'role_claim' | 'role_mapping' | 'default_role' | 'updated_at'> & { account_id: null };

/** A provider of an account, or one of the whole installation. */
export type SignInProvider = IdentityProviderRow | InstallationProvider;

const providerOf = (settings: z.output<typeof Settings>): InstallationProvider => ({
  ...settings,
  ...{ account_id: null, role_claim: null, role_mapping: [], default_role: 'viewer', updated_at: new Date(0) },
});

const parsed = (text: string, context: z.RefinementCtx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not what the parser says, because it quotes the text, which has secrets.
    context.addIssue({ code: 'custom', message: 'expected a JSON array of providers' });
    return z.NEVER;
  }
};

/** The providers in the environment, as JSON. */
export const InstallationProviders = z
  .string()
  .transform(parsed)
  .pipe(
    z
      .array(Settings)
      .max(10)
      .refine((providers) => new Set(providers.map(({ id }) => id)).size === providers.length, 'expected a different id for each provider'),
  )
  .transform((providers) => providers.map(providerOf));
