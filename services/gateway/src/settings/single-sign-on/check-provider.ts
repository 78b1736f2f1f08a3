import { invalid } from '@mp/contracts/errors';
import { type Discover, ProviderUnavailable } from './discover.ts';
import type { IdentityProviderRow } from './identity-provider.ts';

/** Throws VALIDATION_ERROR, with the reason, unless the settings of the provider can be read. */
export async function checkProvider(discover: Discover, provider: IdentityProviderRow) {
  await discover.check(provider).catch((error: unknown) => {
    if (!(error instanceof ProviderUnavailable)) throw error;
    throw invalid('/issuer', 'not_discovered', `The settings of ${provider.issuer} could not be read: ${error.message}.`);
  });
}
