import { randomBytes } from 'node:crypto';
import type { Keyring } from '@mp/contracts/keyring';
import { seal, unseal } from '@mp/service-kit/seal';

const purpose = 'identity secret of a site';

export type IdentitySecrets = ReturnType<typeof createIdentitySecrets>;

/** Seals the secrets with which customers sign identity tokens. A sealed secret belongs to one site. */
export const createIdentitySecrets = (keyring: Keyring) => ({
  seal: (siteId: string, secret: string) => seal(keyring, purpose, secret, siteId),
  unseal: (siteId: string, sealed: string) => unseal(keyring, purpose, sealed, siteId),
  /** Whether the secret was sealed with a key that is no longer the signing key. */
  isOutdated: (sealed: string) => !sealed.startsWith(`${keyring.signing}.`),
});

/** 256 random bits, marked so that a leaked one can be recognized. */
export const newIdentitySecret = () => `mp_sign_${randomBytes(32).toString('base64url')}`;
