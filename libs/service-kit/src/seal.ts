import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Keyring } from '@mp/contracts/keyring';

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text for storage with AES-256-GCM and a key derived from the keyring for this purpose only. `binding` identifies the
 * record: the text cannot be decrypted with another one. Returns `kid.base64url`.
 */
export function seal(keyring: Keyring, purpose: string, text: string, binding: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(keyring, keyring.signing, purpose), iv).setAAD(Buffer.from(binding));
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${keyring.signing}.${sealed.toString('base64url')}`;
}

/** The text; undefined when its key is no longer in the keyring, the purpose or binding differs, or it was modified. */
export function unseal(keyring: Keyring, purpose: string, sealed: string, binding: string): string | undefined {
  const [kid = '', body = ''] = sealed.split('.');
  if (!keyring.keys.has(kid)) return undefined;
  const bytes = Buffer.from(body, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(keyring, kid, purpose), bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(binding)).setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function sealingKey(keyring: Keyring, kid: string, purpose: string): Buffer {
  const secret = keyring.keys.get(kid);
  if (!secret) throw new Error('The keyring lacks its signing key.');
  return Buffer.from(hkdfSync('sha256', secret, '', `seal ${purpose}`, 32));
}
