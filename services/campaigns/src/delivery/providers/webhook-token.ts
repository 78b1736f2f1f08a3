import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import { type AccountId, idPrefixes, trustedId } from '@mp/ids';

const macBytes = 16;
const pattern = /^([0-9a-z]{26})([0-9a-z]{26})$/;
const suffix = (id: string) => id.slice(id.lastIndexOf('_') + 1);

/** The token in the URL of a provider's webhook. It names the account and the provider, and cannot be forged. */
export const signWebhook = (keyring: Keyring, accountId: AccountId, providerId: string) =>
  sign(keyring, `${suffix(accountId)}${suffix(providerId)}`, 'provider webhook', macBytes);

/** The account and the provider of a token; undefined if it is not valid. */
export function readWebhook(keyring: Keyring, token: string): { accountId: AccountId; providerId: string } | undefined {
  const text = verify(keyring, token, 'provider webhook', macBytes);
  const [, account, provider] = pattern.exec(text ?? '') ?? [];
  if (account === undefined || provider === undefined) return undefined;
  return { accountId: trustedId<'account'>(`${idPrefixes.account}_${account}`), providerId: `${idPrefixes.provider}_${provider}` };
}
