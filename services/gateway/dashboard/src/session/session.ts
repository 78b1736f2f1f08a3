import { ConnectionLost, isFailure, RequestFailed } from '../api/request-failed.ts';

/**
 * The session of this browser. `/auth/*` is for our own pages and not in the API document, so what it answers is
 * checked here; who is signed in is the API's to tell (`GET /v2/me`).
 */
export type Session = { csrfToken: string };

/** The session, or null when nobody is signed in. */
export async function fetchSession(): Promise<Session | null> {
  const response = await call('/auth/session', { method: 'GET' });
  return response.status === 401 ? null : sessionIn(response);
}

/** Uses up a one-time link. */
export async function signIn(token: string): Promise<Session> {
  return sessionIn(await call('/auth/sign-in', post({ token })));
}

export async function signOut({ csrfToken }: Session): Promise<void> {
  const response = await call('/auth/sign-out', post({}, { 'x-csrf-token': csrfToken }));
  if (!response.ok) throw await failed(response);
}

const post = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

async function call(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...request, cache: 'no-store' });
  } catch (cause) {
    throw new ConnectionLost({ cause });
  }
}

async function sessionIn(response: Response): Promise<Session> {
  if (!response.ok) throw await failed(response);
  const body: unknown = await response.json();
  if (typeof body === 'object' && body !== null && 'data' in body && typeof body.data === 'object' && body.data !== null) {
    const { data } = body;
    if ('csrf_token' in data && typeof data.csrf_token === 'string') return { csrfToken: data.csrf_token };
  }
  throw new Error('The answer holds no session. Is this page older than the gateway? Reload it.');
}

async function failed(response: Response): Promise<RequestFailed> {
  const body: unknown = await response.json().catch(() => undefined);
  return new RequestFailed(response.status, isFailure(body) ? body.error : undefined);
}
