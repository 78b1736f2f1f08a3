import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Secrets by name: the first one signs, all of them verify, so that a secret can be replaced without a common restart. */
export type Keyring = { readonly signing: string; readonly keys: ReadonlyMap<string, Buffer> };

/** Reads `kid:base64url,kid:base64url`; each secret has at least 32 bytes. Throws when the text is not that. */
export function parseKeyring(text: string): Keyring {
  const keys = new Map(
    text.split(',').map((entry) => {
      const [kid = '', secret = ''] = entry.trim().split(':');
      const key = Buffer.from(secret, 'base64url');
      if (!/^[a-z0-9]{1,16}$/.test(kid) || key.length < 32) {
        throw new Error('expected kid:secret[,kid:secret], each secret at least 32 bytes in base64url');
      }
      return [kid, key] as const;
    }),
  );
  const [signing = ''] = keys.keys();
  return { signing, keys };
}

/** Node takes a prepared key five times as fast as bytes (2 µs against 11), and every request is signed and verified. */
const prepared = new WeakMap<Buffer, KeyObject>();

function prepare(key: Buffer): KeyObject {
  const known = prepared.get(key);
  if (known) return known;
  const made = createSecretKey(key);
  prepared.set(key, made);
  return made;
}

const authenticate = (key: Buffer, text: string) => createHmac('sha256', prepare(key)).update(text);

/** A message authentication code over `text`, truncated to `bytes`. */
export const mac = (key: Buffer, text: string, bytes = 32): Buffer => authenticate(key, text).digest().subarray(0, bytes);

/** `text.kid.mac`: signs a text that has no dot in it. `binding` is signed too but not carried. */
export function sign(keyring: Keyring, text: string, binding = '', bytes = 32): string {
  const key = keyring.keys.get(keyring.signing);
  if (!key) throw new Error('A keyring holds its signing key.');
  const signed = `${text}\n${binding}`;
  // The whole code comes as text in half the time that bytes and their encoding take.
  const code = bytes === 32 ? authenticate(key, signed).digest('base64url') : mac(key, signed, bytes).toString('base64url');
  return `${text}.${keyring.signing}.${code}`;
}

/** The text of a signed token, or undefined when it was not signed by us for this binding. */
export function verify(keyring: Keyring, token: string, binding = '', bytes = 32): string | undefined {
  const [text, kid, signature, ...rest] = token.split('.');
  const key = kid === undefined ? undefined : keyring.keys.get(kid);
  if (text === undefined || signature === undefined || rest.length > 0 || !key) return undefined;
  const expected = mac(key, `${text}\n${binding}`, bytes);
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected) ? text : undefined;
}
