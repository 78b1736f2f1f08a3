import { timingSafeEqual } from 'node:crypto';
import { type Keyring, mac } from '@mp/contracts/keyring';
import { type AccountId, idPrefixes, type RecipientId, trustedId } from '@mp/ids';

type Returned = { accountId: AccountId; recipientId: RecipientId };

const suffix = (id: string) => id.slice(id.lastIndexOf('_') + 1);
const macCharacters = 10;
const pattern = new RegExp(`^b([0-9a-z]{26})([0-9a-z]{26})([0-9a-v]{${macCharacters}})$`);

/** In base32, because mail servers may change the case of an address. */
function codeOf(key: Buffer, text: string): string {
  const bits = BigInt(`0x${mac(key, `${text}\nreturn path`, 8).toString('hex')}`);
  return bits.toString(32).padStart(13, '0').slice(-macCharacters);
}

/**
 * The return path of one email (VERP): the address to which mail servers report that it could not be delivered. It names the
 * email, so that any report is attributed, and is signed, so that no report can be made up for another email.
 */
export function signReturnPath(keyring: Keyring, { accountId, recipientId }: Returned, domain: string): string {
  const text = `${suffix(accountId)}${suffix(recipientId)}`;
  return `b${text}${codeOf(signingKey(keyring), text)}@${domain}`;
}

/** The email of a return path, at any domain; undefined if it is not signed with this keyring. */
export function readReturnPath(keyring: Keyring, address: string): Returned | undefined {
  const [, account = '', recipient = '', code = ''] = pattern.exec(address.slice(0, address.lastIndexOf('@')).toLowerCase()) ?? [];
  const isSigned = [...keyring.keys.values()].some((key) => {
    const expected = codeOf(key, `${account}${recipient}`);
    return code.length === expected.length && timingSafeEqual(Buffer.from(code), Buffer.from(expected));
  });
  return isSigned
    ? {
        accountId: trustedId<'account'>(`${idPrefixes.account}_${account}`),
        recipientId: trustedId<'recipient'>(`${idPrefixes.recipient}_${recipient}`),
      }
    : undefined;
}

function signingKey({ signing, keys }: Keyring): Buffer {
  const key = keys.get(signing);
  if (!key) throw new Error('The keyring lacks its signing key.');
  return key;
}
