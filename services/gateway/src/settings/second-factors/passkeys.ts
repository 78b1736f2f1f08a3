import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL } from '@simplewebauthn/server/helpers';
import type { UserRow } from '../users/user.ts';
import type { Owner, PasskeyCreation, PasskeyProof } from './factor.ts';
import type { FactorDocument, PasskeyDocument } from './factors-store.ts';
import type { SignInStepsStore } from './sign-in-steps-store.ts';

export type Passkeys = ReturnType<typeof createPasskeys>;

const product = 'Marketing Platform';

/** The time a person has, in the browser and until the challenge ends. */
const timeout = 5 * 60_000;

/** Ed25519, ES256 and RS256. The library would add one that Node calls experimental. */
const supportedAlgorithmIDs = [-8, -7, -257];

const isPasskey = (factor: FactorDocument) => factor.kind === 'passkey';
const known = (factors: readonly FactorDocument[]) =>
  factors.filter(isPasskey).map(({ credential_id, transports }) => ({ id: credential_id, transports }));

/**
 * Passkeys of this platform. They belong to the host of the public URL, so they do not work on another one, which is what makes them
 * safe from phishing.
 */
export function createPasskeys({ publicUrl, signInSteps }: { publicUrl: string; signInSteps: SignInStepsStore }) {
  const { origin: expectedOrigin, hostname: rpID } = new URL(publicUrl);

  /** The challenge in what the browser signed, if it is one of ours. Whatever follows, it is used up. */
  async function challengeIn(
    { clientDataJSON }: { clientDataJSON: string },
    purpose: Parameters<SignInStepsStore['useChallenge']>[0],
    user: Owner | null,
    now: Date,
  ): Promise<string | undefined> {
    const challenge = attempt(() => decodeClientDataJSON(clientDataJSON).challenge);
    if (typeof challenge !== 'string') return undefined;
    return (await signInSteps.useChallenge(purpose, user, challenge, now)) ? challenge : undefined;
  }

  return {
    async registrationOptions(user: UserRow, factors: readonly FactorDocument[], now: Date) {
      const options = await generateRegistrationOptions({
        rpName: product,
        rpID,
        userName: user.email ?? user.name,
        userDisplayName: user.name,
        userID: new Uint8Array(Buffer.from(user.id)),
        timeout,
        attestationType: 'none',
        supportedAlgorithmIDs,
        excludeCredentials: known(factors),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      });
      await signInSteps.addChallenge('passkey_registration', user, options.challenge, now);
      return options;
    },

    /** The new passkey; undefined if what the browser sent is not what was asked for. */
    async register(user: UserRow, response: PasskeyCreation, now: Date) {
      const expectedChallenge = await challengeIn(response.response, 'passkey_registration', user, now);
      // Certificates are not asked for. Verifying one would fetch the URLs that it names.
      if (expectedChallenge === undefined || hasCertificate(response.response.attestationObject)) return undefined;
      const checked = await verifyRegistrationResponse({
        response: { ...response, clientExtensionResults: {} },
        ...{ expectedChallenge, expectedOrigin, expectedRPID: rpID },
        requireUserVerification: false,
        supportedAlgorithmIDs,
      }).catch(() => undefined);
      if (!checked?.verified) return undefined;
      const { id, publicKey, counter } = checked.registrationInfo.credential;
      return { credential_id: id, public_key: publicKey, counter, transports: response.response.transports };
    },

    /** Without a user, the browser offers the passkeys that it has, and the passkey must verify the person. */
    async proofOptions(of: { user: UserRow; factors: readonly FactorDocument[] } | null, now: Date) {
      const options = await generateAuthenticationOptions({
        rpID,
        timeout,
        userVerification: of ? 'preferred' : 'required',
        ...(of && { allowCredentials: known(of.factors) }),
      });
      await signInSteps.addChallenge(of ? 'passkey_proof' : 'passkey_sign_in', of?.user ?? null, options.challenge, now);
      return options;
    },

    /**
     * The counter of the passkey after a right proof; undefined if it is wrong. A counter that does not increase is refused: the passkey
     * was copied. Without a user, the passkey alone signs in, so it must have verified the person with a PIN or a fingerprint.
     */
    async verify(response: PasskeyProof, passkey: PasskeyDocument, user: Owner | null, now: Date): Promise<number | undefined> {
      const expectedChallenge = await challengeIn(response.response, user ? 'passkey_proof' : 'passkey_sign_in', user, now);
      if (expectedChallenge === undefined) return undefined;
      const checked = await verifyAuthenticationResponse({
        response: { ...response, clientExtensionResults: {} },
        ...{ expectedChallenge, expectedOrigin, expectedRPID: rpID },
        credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key.value()), counter: passkey.counter },
        requireUserVerification: user === null,
      }).catch(() => undefined);
      return checked?.verified ? checked.authenticationInfo.newCounter : undefined;
    },
  };
}

/** Whether the attestation has more than the key itself. One that cannot be read counts as such. */
function hasCertificate(attestationObject: string): boolean {
  const attestation = attempt(() => decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)));
  const format = attestation?.get('fmt');
  return !attestation || (format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined));
}

/** What a decoder returns; undefined if it throws, because a client sent something else. */
function attempt<Result>(decode: () => Result): Result | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
