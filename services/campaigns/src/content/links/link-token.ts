import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import { type AccountId, idPrefixes, type RecipientId, trustedId } from '@mp/ids';

export const linkPurposes = { o: 'open', c: 'click', u: 'unsubscribe' } as const;
type Letter = keyof typeof linkPurposes;
export type LinkPurpose = (typeof linkPurposes)[Letter];

/** The content of a link in an email. It holds no personal data, and cannot be forged. */
export type LinkToken = { purpose: LinkPurpose; accountId: AccountId; recipientId: RecipientId; number: number };

const macBytes = 12;
const pattern = /^([ocu])([0-9a-z]{26})([0-9a-z]{26})([0-9a-z]{0,4})$/;

const suffix = (id: string) => id.slice(id.lastIndexOf('_') + 1);
const letterOf = (purpose: LinkPurpose): Letter => (purpose === 'open' ? 'o' : purpose === 'click' ? 'c' : 'u');

/** `purpose account recipient number . key . code`, the code being a truncated HMAC (RFC 2104 §5). */
export const signLink = (keyring: Keyring, { purpose, accountId, recipientId, number }: LinkToken): string =>
  sign(
    keyring,
    `${letterOf(purpose)}${suffix(accountId)}${suffix(recipientId)}${purpose === 'click' ? number.toString(36) : ''}`,
    'link',
    macBytes,
  );

/** Returns the content of the token, or undefined if its signature is not valid. */
export function readLink(keyring: Keyring, token: string): LinkToken | undefined {
  const text = verify(keyring, token, 'link', macBytes);
  const [, letter, account, recipient, number] = pattern.exec(text ?? '') ?? [];
  if (letter !== 'o' && letter !== 'c' && letter !== 'u') return undefined;
  return {
    purpose: linkPurposes[letter],
    accountId: trustedId<'account'>(`${idPrefixes.account}_${account}`),
    recipientId: trustedId<'recipient'>(`${idPrefixes.recipient}_${recipient}`),
    number: number ? Number.parseInt(number, 36) : 0,
  };
}
