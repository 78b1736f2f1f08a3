import { ApiError } from '@mp/contracts/errors';
import { judgedMethod, refusal } from '@mp/contracts/permissions';
import type { Credential } from '../../credentials/credential.ts';
import { realm } from '../../credentials/realm.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { Route } from '../routes/route.ts';

/** Throws unless the credential may use this route. Decided before any resource is looked up. */
export function authorize(
  { method, headers }: Pick<Exchange, 'method' | 'headers'>,
  credential: Credential,
  route: Pick<Route, 'scope' | 'people'>,
) {
  if (credential.account.status === 'suspended') throw new ApiError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  const refused = refusal(credential, judgedMethod(method, credential.id, route.people), route.scope);
  if (refused === undefined) return;
  const scope = route.scope === null ? '' : `, scope="${route.scope}"`;
  headers['www-authenticate'] = `Bearer realm="${realm}", error="insufficient_scope"${scope}`;
  throw new ApiError('FORBIDDEN', refused);
}
