import { ConnectionLost, isFailure, RequestFailed } from '../api/errors.ts';

/** Requests to `/auth/*`, which is internal and not in the API document. */

export type JsonObject = Readonly<Record<string, unknown>>;
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export const outdated = () => new Error('The dashboard has been updated. Reload the page.');

type CsrfToken = { csrfToken: string };

export const authGet = async (path: string) => dataOf(await call(path, { method: 'GET' }));

export const authPost = async (path: string, body: object, session?: CsrfToken) =>
  dataOf(
    await call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(session && { 'x-csrf-token': session.csrfToken }) },
      body: JSON.stringify(body),
    }),
  );

/** The current session; null if there is none. */
export async function readSession(): Promise<JsonObject | null> {
  const response = await call('/auth/session', { method: 'GET' });
  return response.status === 401 ? null : dataOf(response);
}

async function call(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...request, cache: 'no-store' });
  } catch (cause) {
    throw new ConnectionLost({ cause });
  }
}

async function dataOf(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new RequestFailed(response.status, isFailure(body) ? body.error : undefined);
  if (isObject(body) && isObject(body.data)) return body.data;
  throw outdated();
}
