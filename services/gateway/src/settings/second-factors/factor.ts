import { Name } from '@mp/contracts/text';
import type { AccountId, UserId } from '@mp/ids';
import { z } from 'zod';

/** Who owns a factor, a code or a step. */
export type Owner = { id: UserId; account_id: AccountId };

/** With what a user proves a second factor. A recovery code stands in for the others when they are lost. */
export type ProvenBy = 'totp' | 'passkey' | 'recovery_code';

export const FactorName = Name(100);

/** A text that a browser encodes for WebAuthn. */
const Encoded = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[\w-]+$/, 'expected base64url');

/** What a browser sends to register a passkey. Fields that are not read are dropped. */
export const PasskeyCreation = z.object({
  id: Encoded,
  rawId: Encoded,
  type: z.literal('public-key'),
  response: z.object({ clientDataJSON: Encoded, attestationObject: Encoded, transports: z.array(z.string().max(20)).max(10).default([]) }),
});
export type PasskeyCreation = z.output<typeof PasskeyCreation>;

/** What a browser sends to prove a passkey. */
export const PasskeyProof = z.object({
  id: Encoded,
  rawId: Encoded,
  type: z.literal('public-key'),
  response: z.object({ clientDataJSON: Encoded, authenticatorData: Encoded, signature: Encoded }),
});
export type PasskeyProof = z.output<typeof PasskeyProof>;

const withoutSpaces = z
  .string()
  .max(60)
  .transform((text) => text.replaceAll(/[\s-]/g, ''));

export const Code = withoutSpaces.pipe(z.string().regex(/^\d{6}$/, 'expected six digits'));

export const Proof = z.union([
  z.strictObject({ code: Code }),
  z.strictObject({ recovery_code: withoutSpaces.pipe(z.string().min(1)) }),
  z.strictObject({ passkey: PasskeyProof }),
]);
export type Proof = z.output<typeof Proof>;
