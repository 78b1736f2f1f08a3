import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Keyring } from '@mp/contracts/keyring';
import { seal, unseal } from '@mp/service-kit/seal';

const newKeyPair = promisify(generateKeyPair);

const sealedFor = 'dkim key';

/** The DKIM keys of a sender: the public one as its DNS record has it, the private one sealed for this sender alone. */
export async function newDkimKeys(keyring: Keyring, senderId: string) {
  const { publicKey, privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 });
  return {
    public_key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    private_key: seal(keyring, sealedFor, String(privateKey.export({ format: 'pem', type: 'pkcs8' })), senderId),
  };
}

/** The private key in PEM format; undefined if it was sealed with a key that is no longer known. */
export const openPrivateKey = (keyring: Keyring, senderId: string, sealed: string) => unseal(keyring, sealedFor, sealed, senderId);
