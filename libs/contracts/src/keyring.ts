import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Secrets by name. The first signs and all verify, so that secrets can be rotated without restarting every process at once. */
export type Keyring = { readonly signing: string; readonly keys: ReadonlyMap<string, Buffer> };

/** Parses `kid:base64url,kid:base64url`; each secret has at least 32 bytes. Throws an Error on any other text. */
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

/** Signing with a prepared key is five times as fast as with bytes (2 µs instead of 11), and every request is signed and verified. */
const prepared = new WeakMap<Buffer, KeyObject>();

function prepare(key: Buffer): KeyObject {
  const known = prepared.get(key);
  if (known) return known;
  const made = createSecretKey(key);
  prepared.set(key, made);
  return made;
}

const authenticate = (key: Buffer, text: string) => createHmac('sha256', prepare(key)).update(text);

/** An HMAC-SHA-256 over `text`, truncated to `bytes`. */
export const mac = (key: Buffer, text: string, bytes = 32): Buffer => authenticate(key, text).digest().subarray(0, bytes);

/** Returns `text.kid.mac` for a text without dots. `binding` is signed as well, but is not part of the token. */
export function sign(keyring: Keyring, text: string, binding = '', bytes = 32): string {
  const key = keyring.keys.get(keyring.signing);
  if (!key) throw new Error('The keyring lacks its signing key.');
  const signed = `${text}\n${binding}`;
  // Getting the full code as text is twice as fast as getting bytes and encoding them.
  const code = bytes === 32 ? authenticate(key, signed).digest('base64url') : mac(key, signed, bytes).toString('base64url');
  return `${text}.${keyring.signing}.${code}`;
}

/** The text of a signed token; undefined when it was not signed with this keyring for this binding. */
export function verify(keyring: Keyring, token: string, binding = '', bytes = 32): string | undefined {
  const [text, kid, signature, ...rest] = token.split('.');
  const key = kid === undefined ? undefined : keyring.keys.get(kid);
  if (text === undefined || signature === undefined || rest.length > 0 || !key) return undefined;
  // As text, because decoders of base64url accept several spellings of the same bytes, and a token has one.
  const expected = Buffer.from(mac(key, `${text}\n${binding}`, bytes).toString('base64url'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected) ? text : undefined;
}
