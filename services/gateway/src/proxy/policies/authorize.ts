import { ApiError } from '@mp/contracts/errors';
import { judgedMethod, refusal } from '@mp/contracts/permissions';
import type { Credential } from '../../credentials/credential.ts';
import { realm } from '../../credentials/realm.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../routes/route.ts';

const outlivesGrant =
  'A connected application cannot do this, because what it would get still works after it is disconnected. Do it in the dashboard or with an API key.';

/** Throws unless the credential may use this route. Decided before any resource is looked up. */
export function authorize(
  { method, headers }: Pick<Exchange, 'method' | 'headers'>,
  credential: Credential,
  route: Pick<Route, 'scope' | 'outlives_grants' | 'people'>,
) {
  if (credential.account.status === 'suspended') throw new ApiError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  const refused = refusal(credential, judgedMethod(method, credential.id, route.people), route.scope);
  if (refused === undefined) {
    if (credential.ofGrant && route.outlives_grants) throw new ApiError('FORBIDDEN', outlivesGrant);
    return;
  }
  const scope = route.scope === null ? '' : `, scope="${route.scope}"`;
  headers['www-authenticate'] = `Bearer realm="${realm}", error="insufficient_scope"${scope}`;
  throw new ApiError('FORBIDDEN', refused);
}
