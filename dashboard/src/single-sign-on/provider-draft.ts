import { commaList } from '../form/comma-list.ts';
import { roles } from '../roles/role-choices.ts';
import type { IdentityProvider, NewIdentityProvider } from './identity-providers.ts';

type GivenRole = NonNullable<IdentityProvider['default_role']>;

/** An identity provider as it is edited: lists as text. */
export type ProviderDraft = {
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  scopes: string;
  email_domains: string;
  role_claim: string;
  /** One a line, such as `marketing = editor`. */
  role_mapping: string;
  /** `none`: whoever has no role cannot sign in. */
  default_role: string;
  just_in_time: boolean;
  enabled: boolean;
};

export const newProvider: ProviderDraft = {
  ...{ name: '', issuer: '', client_id: '', client_secret: '', scopes: 'openid email profile', email_domains: '' },
  ...{ role_claim: '', role_mapping: '', default_role: 'viewer', just_in_time: true, enabled: true },
};

export const draftOf = (provider: IdentityProvider): ProviderDraft => ({
  name: provider.name,
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_secret: '',
  scopes: provider.scopes.join(' '),
  email_domains: provider.email_domains.join(', '),
  role_claim: provider.role_claim ?? '',
  role_mapping: provider.role_mapping.map(({ value, role }) => `${value} = ${role}`).join('\n'),
  default_role: provider.default_role ?? 'none',
  just_in_time: provider.just_in_time,
  enabled: provider.enabled,
});

const roleIn = (text: string): GivenRole | undefined => roles.find(({ value, label }) => value === text || label === text)?.value;

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** A value may contain `=`, so the last one separates it from the role. */
function entryIn(line: string): { value: string; role: GivenRole } | undefined {
  const at = line.lastIndexOf('=');
  const [value, role] = [line.slice(0, Math.max(0, at)).trim(), roleIn(line.slice(at + 1).trim())];
  return value !== '' && role !== undefined ? { value, role } : undefined;
}

/** The first line that does not map a value to a role. */
export const wrongLine = (text: string): string | undefined => lines(text).find((line) => !entryIn(line));

export function bodyOf({
  client_secret,
  role_claim,
  ...draft
}: ProviderDraft): Omit<NewIdentityProvider, 'client_secret'> & { client_secret?: string } {
  return {
    ...draft,
    ...(client_secret !== '' && { client_secret }),
    scopes: draft.scopes.split(/\s+/).filter((scope) => scope !== ''),
    email_domains: commaList(draft.email_domains),
    role_claim: role_claim.trim() === '' ? null : role_claim.trim(),
    role_mapping: lines(draft.role_mapping).flatMap((line) => entryIn(line) ?? []),
    default_role: roleIn(draft.default_role) ?? null,
  };
}
