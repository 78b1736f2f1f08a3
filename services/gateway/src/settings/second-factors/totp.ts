import type { Keyring } from '@mp/contracts/keyring';
import { seal, unseal } from '@mp/service-kit/seal';
import { Secret, TOTP } from 'otpauth';

/** The defaults of every authenticator app; some ignore other values. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** A code is accepted one step early and one late, because clocks drift and people type slowly. */
const window = 1;

const purpose = 'secret of an authenticator app';

export type TotpSecrets = ReturnType<typeof createTotpSecrets>;

/** Seals the secrets of authenticator apps. A sealed secret belongs to one factor. */
export const createTotpSecrets = (keyring: Keyring) => ({
  seal: (factorId: string, secret: string) => seal(keyring, purpose, secret, factorId),
  unseal: (factorId: string, sealed: string) => unseal(keyring, purpose, sealed, factorId),
  /** Whether the secret was sealed with a key that is no longer the signing key. */
  isOutdated: (sealed: string) => !sealed.startsWith(`${keyring.signing}.`),
});

/** 160 bits, in the base32 that apps accept. */
export const newTotpSecret = () => new Secret({ size: 20 }).base32;

/** What the QR code contains. */
export const totpUrl = (secret: string, { issuer, label }: { issuer: string; label: string }) =>
  new TOTP({ ...form, issuer, label, secret }).toString();

/** The step of a right code; undefined if it is wrong. A step is accepted once, which is for the caller to check. */
export function stepOf(code: string, secret: string, now: Date): number | undefined {
  const timestamp = now.getTime();
  const delta = TOTP.validate({ ...form, token: code, secret: Secret.fromBase32(secret), timestamp, window });
  return delta === null ? undefined : TOTP.counter({ period: form.period, timestamp }) + delta;
}
