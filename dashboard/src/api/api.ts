import createClient, { type Client } from 'openapi-fetch';
import { createContext, use } from 'react';
import { ConnectionLost, isFailure, RequestFailed } from './errors.ts';
import type { Paths } from './paths.gen.ts';

export type Api = Client<Paths>;

type ApiParts = {
  csrfToken: () => string | undefined;
  /** Called when the session has expired or was ended elsewhere. */
  onUnauthorized: () => void;
  /** Called when the user must first confirm who they are. Resolves to whether to send the request again. */
  onUnconfirmed: () => Promise<boolean>;
};

/** A typed client for the public API (/openapi.json) that sends requests as the signed-in user. */
export function createApi({ csrfToken, onUnauthorized, onUnconfirmed }: ApiParts): Api {
  // A request whose body was sent cannot be sent again. Files are not kept: no upload needs a confirmation.
  const copies = new WeakMap<Request, Request>();
  const api = createClient<Paths>({ baseUrl: window.location.origin });
  api.use({
    onRequest({ request }) {
      const token = csrfToken();
      if (request.method !== 'GET' && token !== undefined) request.headers.set('x-csrf-token', token);
      if ([null, 'application/json'].includes(request.headers.get('content-type'))) copies.set(request, request.clone());
      return request;
    },
    async onResponse({ request, response }) {
      if (response.status === 401) onUnauthorized();
      if (response.status !== 403) return undefined;
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined);
      if (!isFailure(body) || body.error.code !== 'SECOND_FACTOR_REQUIRED') return undefined;
      const copy = copies.get(request);
      return (await onUnconfirmed()) && copy ? fetch(copy) : undefined;
    },
    onError({ error }) {
      return error instanceof TypeError ? new ConnectionLost({ cause: error }) : undefined;
    },
  });
  return api;
}

type ClientResponse<T> = { data?: { data: T } | undefined; error?: unknown; response: Response };

/** Resolves to the `data` of a response; throws RequestFailed with the API's message for an error response. */
export async function responseData<T>(call: Promise<ClientResponse<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined) return data.data;
  throw new RequestFailed(response.status, isFailure(error) ? error.error : undefined);
}

export const ApiContext = createContext<Api | undefined>(undefined);

export function useApi(): Api {
  const api = use(ApiContext);
  if (!api) throw new Error('useApi must be called inside ApiContext');
  return api;
}
