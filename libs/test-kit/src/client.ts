import { type CallContext, contextHeader, signContext } from '@mp/contracts/context';
import { type AccountId, newId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { eventually } from './eventually.ts';
import { contextKeys } from './test-parts.ts';

/** The JSON of a response, untyped: tests assert its fields instead of declaring them. */
type Json = ReturnType<typeof JSON.parse>;

type ApiResponse = { status: number; headers: Record<string, unknown>; body: Json; data: Json; error: Json; text: string };

type Headers = Record<string, string>;

export type Client = {
  accountId: AccountId;
  call: (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object | string, headers?: Headers) => Promise<ApiResponse>;
  get: (url: string, headers?: Headers) => Promise<ApiResponse>;
  post: (url: string, payload?: object | string, headers?: Headers) => Promise<ApiResponse>;
  put: (url: string, payload?: object | string, headers?: Headers) => Promise<ApiResponse>;
  delete: (url: string, headers?: Headers) => Promise<ApiResponse>;
  /** A client of the same account with other permissions. */
  as: (other: Partial<CallContext>) => Client;
  /** A client of the same account that retries SERVICE_UNAVAILABLE and IDEMPOTENCY_IN_PROGRESS. For many concurrent requests. */
  patient: () => Client;
};

/** A client that calls a service as the gateway does, by default for a new account. */
export function testClient(app: Server, grant: Partial<CallContext> = {}): Client {
  const context: CallContext = {
    account_id: newId('account'),
    principal_id: newId('key'),
    permission: 'read_write',
    scopes: null,
    request_id: newId('request'),
    expires_at: Date.now() + 3_600_000,
    ...grant,
  };

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: object | string,
    headers: Headers = {},
  ): Promise<ApiResponse> {
    const response = await app.inject({
      method,
      url,
      headers: { [contextHeader]: signContext(contextKeys, context, method, url), 'content-type': 'application/json', ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const body = isJson && response.payload.startsWith('{') ? response.json() : undefined;
    return { status: response.statusCode, headers: response.headers, body, data: body?.data, error: body?.error, text: response.payload };
  }

  return clientOf(app, context, call);
}

function clientOf(app: Server, context: CallContext, call: Client['call']): Client {
  return {
    accountId: context.account_id,
    call,
    get: (url: string, headers?: Headers) => call('GET', url, undefined, headers),
    post: (url: string, payload: object | string = {}, headers?: Headers) => call('POST', url, payload, headers),
    put: (url: string, payload: object | string = {}, headers?: Headers) => call('PUT', url, payload, headers),
    delete: (url: string, headers?: Headers) => call('DELETE', url, undefined, headers),
    as: (other) => testClient(app, { ...context, ...other }),
    patient: () =>
      clientOf(app, context, (...request) =>
        eventually(async () => {
          const response = await call(...request);
          return !['SERVICE_UNAVAILABLE', 'IDEMPOTENCY_IN_PROGRESS'].includes(response.error?.code) && response;
        }),
      ),
  };
}
