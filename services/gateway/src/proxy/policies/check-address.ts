import { ApiError } from '@mp/contracts/errors';
import type { Credential } from '../../credentials/credential.ts';
import { countFailedAuth, type FailedAuthLimiter } from '../../credentials/failed-auth-limiter.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Throws IP_NOT_ALLOWED unless the credential may be used from this address. Runs before anything is counted for the account,
 * so that a stolen key cannot use up its limits from elsewhere. Such attempts count as failed authentications.
 */
export function checkAddress({ address }: Pick<Exchange, 'address'>, credential: Credential, failedAuths: FailedAuthLimiter) {
  if (credential.allowsAddress(address)) return;
  countFailedAuth(address, failedAuths);
  throw new ApiError('IP_NOT_ALLOWED', `This credential may not be used from ${address}.`);
}
