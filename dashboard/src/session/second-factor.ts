import { authGet, authPost, isObject, outdated } from './auth-request.ts';
import { createPasskey, requestPasskey } from './passkey.ts';
import { outcomeIn, type Session, type SignInOutcome, sessionIn } from './session.ts';

/** How a user proves who they are. A passkey is asked for when it is chosen. */
export type Proof = { code: string } | { recovery_code: string } | { current_password: string } | 'passkey';

export type Factor = { id: string; kind: string; name: string; createdAt: string; lastUsedAt: string | null };
export type Factors = { items: Factor[]; recoveryCodesLeft: number; isRequired: boolean };

/** A factor that was added. The first one brings recovery codes. */
export type Added = { session: Session; recoveryCodes: string[] | null };

/** Signs in with a passkey alone. */
export const signInWithPasskey = async (): Promise<SignInOutcome> =>
  outcomeIn(await authPost('/auth/passkey', { passkey: await requestPasskey(await authPost('/auth/passkey/options', {})) }));

/** Proves the second factor after the first. */
export const finishSignIn = async (proof: Proof): Promise<SignInOutcome> => outcomeIn(await prove('/auth/second-factor', proof));

/** Proves again who uses the session. */
export async function confirmIdentity(session: Session, proof: Proof): Promise<void> {
  await prove('/auth/step-up', proof, session);
}

async function prove(path: string, proof: Proof, session?: Session) {
  if (proof !== 'passkey') return authPost(path, proof, session);
  return authPost(path, { passkey: await requestPasskey(await authPost(`${path}/options`, {}, session)) }, session);
}

const path = '/auth/second-factors';
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const codesIn = (value: unknown) => (Array.isArray(value) ? value.map(textOf) : null);

export async function fetchFactors(): Promise<Factors> {
  const { items, recovery_codes_left, required } = await authGet(path);
  const factors = Array.isArray(items) ? items.filter(isObject) : [];
  return {
    items: factors.map(({ id, kind, name, created_at, last_used_at }) => ({
      ...{ id: textOf(id), kind: textOf(kind), name: textOf(name), createdAt: textOf(created_at) },
      lastUsedAt: typeof last_used_at === 'string' ? last_used_at : null,
    })),
    recoveryCodesLeft: Number(recovery_codes_left),
    isRequired: required === true,
  };
}

/** Begins an authenticator app. Its secret is shown once. */
export async function beginTotp(session: Session, name: string) {
  const { id, secret, url } = await authPost(`${path}/totp`, { name }, session);
  return { id: textOf(id), secret: textOf(secret), url: textOf(url) };
}

export const confirmTotp = async (session: Session, begun: { id: string; code: string }): Promise<Added> =>
  added(await authPost(`${path}/totp/confirm`, begun, session));

export async function addPasskey(session: Session, name: string): Promise<Added> {
  const passkey = await createPasskey(await authPost(`${path}/passkeys/options`, {}, session));
  return added(await authPost(`${path}/passkeys`, { name, passkey }, session));
}

function added({ session, recovery_codes }: Readonly<Record<string, unknown>>): Added {
  if (!isObject(session)) throw outdated();
  return { session: sessionIn(session), recoveryCodes: codesIn(recovery_codes) };
}

export async function renameFactor(session: Session, factor: { id: string; name: string }): Promise<void> {
  await authPost(`${path}/rename`, factor, session);
}

export async function removeFactor(session: Session, id: string): Promise<void> {
  await authPost(`${path}/remove`, { id }, session);
}

export const replaceRecoveryCodes = async (session: Session): Promise<string[]> =>
  codesIn((await authPost(`${path}/recovery-codes`, {}, session)).recovery_codes) ?? [];
