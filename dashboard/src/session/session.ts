import { ConnectionLost, isFailure, RequestFailed } from '../api/errors.ts';

/**
 * The session of this browser. `/auth/*` is internal and not in the API document, so its responses are validated here.
 * The user's permission comes from the API (`GET /v2/me`).
 */
export type Session = {
  accountId: string;
  userId: string;
  csrfToken: string;
  email: string | null;
  hasPassword: boolean;
  needsCurrentPassword: boolean;
};

/** The session after a change, and the address that the user still has to prove, if any. */
export type ChangedSession = { session: Session; emailToProve: string | null };

/** An active session of the user. */
export type OpenSession = { id: string; isCurrent: boolean; by: string; address: string; userAgent: string; lastUsedAt: string };

export type Credentials = { token: string } | { email: string; password: string };
export type NewPassword = { new_password: string; current_password?: string; email?: string };

/** The current session, or null if the user is not signed in. */
export async function fetchSession(): Promise<Session | null> {
  const response = await call('/auth/session', { method: 'GET' });
  return response.status === 401 ? null : sessionIn(await dataOf(response));
}

/** Signs in with a one-time link, which this uses up, or with email and password. */
export const signIn = async (credentials: Credentials): Promise<Session> =>
  sessionIn(await dataOf(await call('/auth/sign-in', post(credentials))));

/** What finds the identity provider. With `token`, an invitation is accepted. */
export type SingleSignOnStart = { to: string; email?: string; token?: string; provider_id?: string };

/** The page of the identity provider; null if there are several to choose from. */
export type StartedSingleSignOn = { url: string | null; providers: { id: string; name: string }[] };

export async function startSingleSignOn(wanted: SingleSignOnStart): Promise<StartedSingleSignOn> {
  const { url, providers } = await dataOf(await call('/auth/single-sign-on', post(wanted)));
  const listed = Array.isArray(providers) ? providers.filter(isObject) : [];
  return {
    url: typeof url === 'string' ? url : null,
    providers: listed.map(({ id, name }) => ({ id: String(id), name: String(name) })),
  };
}

export async function signOut(session: Session): Promise<void> {
  await dataOf(await call('/auth/sign-out', post({}, session)));
}

/** Emails a one-time sign-in link, if a user has this address. */
export async function requestLink(email: string): Promise<void> {
  await dataOf(await call('/auth/forgotten-password', post({ email })));
}

export async function setPassword(session: Session, wanted: NewPassword): Promise<ChangedSession> {
  const data = await dataOf(await call('/auth/password', post(wanted, session)));
  return { session: sessionIn(data), emailToProve: typeof data.email_to_prove === 'string' ? data.email_to_prove : null };
}

/** Proves a new sign-in address, which is returned. */
export async function confirmEmail(token: string): Promise<string> {
  return String((await dataOf(await call('/auth/email', post({ token })))).email);
}

/** Tells the server that the user is doing something. */
export async function reportUse(session: Session): Promise<void> {
  await dataOf(await call('/auth/session', post({}, session)));
}

export async function fetchSessions(): Promise<OpenSession[]> {
  const { items } = await dataOf(await call('/auth/sessions', { method: 'GET' }));
  return Array.isArray(items) ? items.map(openSession) : [];
}

/** Ends one session, or all except this one. */
export async function endSessions(session: Session, which: { id: string } | { others: true }): Promise<void> {
  await dataOf(await call('/auth/sessions/revoke', post(which, session)));
}

const post = (body: object, session?: Session): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(session && { 'x-csrf-token': session.csrfToken }) },
  body: JSON.stringify(body),
});

async function call(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...request, cache: 'no-store' });
  } catch (cause) {
    throw new ConnectionLost({ cause });
  }
}

type JsonObject = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

async function dataOf(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new RequestFailed(response.status, isFailure(body) ? body.error : undefined);
  if (isObject(body) && isObject(body.data)) return body.data;
  throw outdated();
}

function sessionIn(data: JsonObject): Session {
  const { account_id: accountId, csrf_token: csrfToken, user } = data;
  if (typeof csrfToken !== 'string' || typeof accountId !== 'string' || !isObject(user) || typeof user.id !== 'string') throw outdated();
  const email = typeof user.email === 'string' ? user.email : null;
  return {
    ...{ accountId, userId: user.id, csrfToken },
    email,
    hasPassword: data.has_password === true,
    needsCurrentPassword: data.needs_current_password === true,
  };
}

function openSession(item: unknown): OpenSession {
  const text = (name: string) => (isObject(item) && typeof item[name] === 'string' ? item[name] : '');
  const isCurrent = isObject(item) && item.current === true;
  return {
    id: text('id'),
    isCurrent,
    by: text('by'),
    address: text('address'),
    userAgent: text('user_agent'),
    lastUsedAt: text('last_used_at'),
  };
}

const outdated = () => new Error('The dashboard has been updated. Reload the page.');
