import { parseKeyring } from '@mp/contracts/keyring';

const keyring = (byte: number) => parseKeyring(`a:${Buffer.alloc(32, byte).toString('base64url')}`);
export const keys = keyring(1);
/** Another key of the same name. */
export const others = keyring(2);

/** The token with another character at each of its places. */
export const forged = (token: string) =>
  [...token].map((character, index) => token.slice(0, index) + (character === '0' ? '1' : '0') + token.slice(index + 1));
