import { domainKey } from '@mp/contracts/contact';
import { SignInEmail } from '../users/user.ts';
import type { IdentityProviderRow } from './identity-provider.ts';

/** Who the provider says has signed in. */
export type Identity = {
  subject: string;
  /** The email address if the provider has verified it. */
  verifiedEmail: string | undefined;
  name: string | undefined;
  /** The values of the role claim. */
  roles: readonly string[];
};

type Claims = Readonly<Record<string, unknown>>;

/** The identity in the claims of a verified ID token, and of the userinfo endpoint for the same subject. */
export function identityOf(
  token: Claims & { sub: string },
  userinfo: Claims,
  { role_claim }: Pick<IdentityProviderRow, 'role_claim'>,
): Identity {
  const claims: Claims = { ...userinfo, ...token };
  const { name } = claims;
  // From the same place, so that the verification of one address never counts for another.
  const { email, email_verified } = token.email_verified === undefined ? userinfo : token;
  const address = SignInEmail.safeParse(email);
  const role = role_claim === null ? undefined : claims[role_claim];
  return {
    subject: token.sub,
    verifiedEmail: email_verified === true && address.success ? address.data : undefined,
    name:
      typeof name === 'string' && name.trim() !== ''
        ? name
            .normalize('NFC')
            .replaceAll(/\p{Cc}/gu, ' ')
            .trim()
            .slice(0, 100)
        : undefined,
    roles: (Array.isArray(role) ? role : [role]).filter((value) => typeof value === 'string'),
  };
}

/** The domain of an email address, in its DNS form. */
export const domainOf = (email: string) => domainKey(email.slice(email.lastIndexOf('@') + 1));

type Mapped = Pick<IdentityProviderRow, 'role_claim' | 'role_mapping' | 'default_role'>;

/** The role that the provider determines: undefined if it determines none, null if this identity may not sign in. */
export function mappedRole({ roles }: Pick<Identity, 'roles'>, { role_claim, role_mapping, default_role }: Mapped) {
  if (role_claim === null || role_mapping.length === 0) return undefined;
  return role_mapping.find(({ value }) => roles.includes(value))?.role ?? default_role;
}
