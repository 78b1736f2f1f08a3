import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { type JsonObject, outdated } from './auth-request.ts';

/** Whether this browser has passkeys, which it offers only on https and localhost. */
export const hasPasskeys = () => 'PublicKeyCredential' in window;

const isRequest = (options: object): options is PublicKeyCredentialRequestOptionsJSON =>
  'challenge' in options && typeof options.challenge === 'string';
const isCreation = (options: object): options is PublicKeyCredentialCreationOptionsJSON =>
  isRequest(options) && 'rp' in options && 'user' in options && 'pubKeyCredParams' in options;

/** Asks the browser for a passkey. The script is loaded only then. */
export async function requestPasskey(optionsJSON: JsonObject) {
  if (!isRequest(optionsJSON)) throw outdated();
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON }).catch((cause: unknown) => {
    throw new Error('No passkey was used. Try again, or choose another way.', { cause });
  });
}

/** Asks the browser to create a passkey. */
export async function createPasskey(optionsJSON: JsonObject) {
  if (!isCreation(optionsJSON)) throw outdated();
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON }).catch((cause: unknown) => {
    const isKnown = cause instanceof Error && cause.name === 'InvalidStateError';
    throw new Error(isKnown ? 'This device already has a passkey for your account.' : 'No passkey was created. Try again.', { cause });
  });
}
