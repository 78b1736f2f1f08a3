import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import { type AccountId, idPrefixes, trustedId } from '@mp/ids';

const macBytes = 16;
const suffix = (id: string) => id.slice(id.lastIndexOf('_') + 1);

/** The token in the URL of a provider's webhook. It names the account and the provider, and cannot be forged. */
export const signWebhook = (keyring: Keyring, accountId: AccountId, providerId: string) =>
  sign(keyring, `${suffix(accountId)}${suffix(providerId)}`, 'provider webhook', macBytes);

/** The account and the provider of a token; undefined if it is not valid. */
export function readWebhook(keyring: Keyring, token: string): { accountId: AccountId; providerId: string } | undefined {
  const text = verify(keyring, token, 'provider webhook', macBytes);
  if (text?.length !== 52) return undefined;
  return {
    accountId: trustedId<'account'>(`${idPrefixes.account}_${text.slice(0, 26)}`),
    providerId: `${idPrefixes.provider}_${text.slice(26)}`,
  };
}
