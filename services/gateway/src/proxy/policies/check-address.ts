import { ApiError } from '@mp/contracts/errors';
import type { Credential } from '../../credentials/credential.ts';
import { countWrong, type WrongCredentials } from '../../credentials/failed-auth-limiter.ts';
import type { Exchange } from '../listener/exchange.ts';

/**
 * Whether the key may be used from where the request came. Before anything is counted for its account: whoever stole a
 * key that is of no use to them could use up its burst with it. They are slowed down as who guesses is.
 */
export function checkAddress({ address }: Exchange, credential: Credential, wrongCredentials: WrongCredentials) {
  if (credential.allowsAddress(address)) return;
  countWrong(address, wrongCredentials);
  throw new ApiError('IP_NOT_ALLOWED', `This key may not be used from ${address}.`);
}
