import { authGet, authPost, isObject, type JsonObject, outdated, readSession } from './auth-request.ts';

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
  /** The account requires a second factor, and the user has none: until one is added, the API rejects everything else. */
  mustAddSecondFactor: boolean;
};

/** The session after a change, and the address that the user still has to prove, if any. */
export type ChangedSession = { session: Session; emailToProve: string | null };

/** An active session of the user. */
export type OpenSession = {
  id: string;
  isCurrent: boolean;
  by: string;
  secondFactor: string;
  address: string;
  userAgent: string;
  lastUsedAt: string;
};

export type EndedSessions = { id: string } | { others: true } | { all: true };

/** The second factors that a user can choose from: `totp`, `passkey`, `recovery_code`. */
export type SecondFactorDue = { methods: readonly string[] };

/** An account that the person is a user of, with the name of their role there. */
export type AccountToChoose = { id: string; name: string; role: string };

/** The accounts that a person can choose from who is a user of several. */
export type AccountChoiceDue = { accounts: readonly AccountToChoose[] };

/** What is due before there is a session. */
export type Due = SecondFactorDue | AccountChoiceDue;

/** A session, or what is due first. */
export type SignInOutcome = Session | Due;

export type Credentials = { token: string } | { email: string; password: string };
export type NewPassword = { new_password: string; current_password?: string; email?: string };

/** The current session, or null if the user is not signed in. */
export async function fetchSession(): Promise<Session | null> {
  const data = await readSession();
  return data && sessionIn(data);
}

/** Signs in with a one-time link, which this uses up, or with email and password; a choice of the account or a second factor may then be due. */
export const signIn = async (credentials: Credentials): Promise<SignInOutcome> => outcomeIn(await authPost('/auth/sign-in', credentials));

/** Continues in one of the accounts that the sign-in of this browser is for. */
export const chooseAccount = async (id: string): Promise<SignInOutcome> =>
  outcomeIn(await authPost('/auth/account-choice', { account_id: id }));

/** What is due in this browser, which has come back from an identity provider. */
export async function fetchDue(step: 'account-choice' | 'second-factor'): Promise<Due> {
  const outcome = outcomeIn(await authGet(`/auth/${step}`));
  if (isDue(outcome)) return outcome;
  throw outdated();
}

/** What finds the identity provider. With `token`, an invitation is accepted. */
export type SingleSignOnStart = { to: string; email?: string; token?: string; account_id?: string; provider_id?: string };

/** The page of the identity provider; null if there are several to choose from. */
export type StartedSingleSignOn = { url: string | null; providers: SignInProvider[] };

export type SignInProvider = { id: string; name: string };

const providersIn = (value: unknown): SignInProvider[] =>
  (Array.isArray(value) ? value.filter(isObject) : []).map(({ id, name }) => ({ id: String(id), name: String(name) }));

/** The identity providers of the whole installation. */
export const fetchSignInProviders = async () => providersIn((await authGet('/auth/single-sign-on')).providers);

export async function startSingleSignOn(wanted: SingleSignOnStart): Promise<StartedSingleSignOn> {
  const { url, providers } = await authPost('/auth/single-sign-on', wanted);
  return { url: typeof url === 'string' ? url : null, providers: providersIn(providers) };
}

export async function signOut(session: Session): Promise<void> {
  await authPost('/auth/sign-out', {}, session);
}

/** Emails a one-time sign-in link, if a user has this address. */
export async function requestLink(email: string): Promise<void> {
  await authPost('/auth/forgotten-password', { email });
}

export async function setPassword(session: Session, wanted: NewPassword): Promise<ChangedSession> {
  const data = await authPost('/auth/password', wanted, session);
  return { session: sessionIn(data), emailToProve: typeof data.email_to_prove === 'string' ? data.email_to_prove : null };
}

/** Proves a new sign-in address, which is returned. */
export async function confirmEmail(token: string): Promise<string> {
  return String((await authPost('/auth/email', { token })).email);
}

/** Stops a report that is emailed, with the token of its link. */
export async function stopReport(token: string): Promise<void> {
  await authPost('/auth/report-emails/stop', { token });
}

/** Tells the server that the user is doing something. */
export async function reportUse(session: Session): Promise<void> {
  await authPost('/auth/session', {}, session);
}

export async function fetchSessions(): Promise<OpenSession[]> {
  const { items } = await authGet('/auth/sessions');
  return Array.isArray(items) ? items.map(openSession) : [];
}

/** Ends one session, all except this one, or all. */
export async function endSessions(session: Session, which: EndedSessions): Promise<void> {
  await authPost('/auth/sessions/revoke', which, session);
}

export const isDue = (outcome: SignInOutcome): outcome is Due => 'methods' in outcome || 'accounts' in outcome;

/** What a sign-in led to. */
export function outcomeIn(data: JsonObject): SignInOutcome {
  const { account_choice_due: choice, second_factor_due: due } = data;
  if (isObject(choice)) {
    const accounts = Array.isArray(choice.accounts) ? choice.accounts.filter(isObject) : [];
    return { accounts: accounts.map(({ id, name, role }) => ({ id: String(id), name: String(name), role: String(role) })) };
  }
  if (!isObject(due)) return sessionIn(data);
  return { methods: Array.isArray(due.methods) ? due.methods.filter((method) => typeof method === 'string') : [] };
}

export function sessionIn(data: JsonObject): Session {
  const { account_id: accountId, csrf_token: csrfToken, user } = data;
  if (typeof csrfToken !== 'string' || typeof accountId !== 'string' || !isObject(user) || typeof user.id !== 'string') throw outdated();
  const email = typeof user.email === 'string' ? user.email : null;
  return {
    ...{ accountId, userId: user.id, csrfToken },
    email,
    hasPassword: data.has_password === true,
    needsCurrentPassword: data.needs_current_password === true,
    mustAddSecondFactor: data.must_add_second_factor === true,
  };
}

function openSession(item: unknown): OpenSession {
  const text = (name: string) => (isObject(item) && typeof item[name] === 'string' ? item[name] : '');
  const isCurrent = isObject(item) && item.current === true;
  return {
    id: text('id'),
    isCurrent,
    by: text('by'),
    secondFactor: text('second_factor'),
    address: text('address'),
    userAgent: text('user_agent'),
    lastUsedAt: text('last_used_at'),
  };
}
