import type { Contract, Json } from './contract.ts';

export type ApiResponse = { status: number; headers: Headers; text: string; body: Json; data: Json; error: Json };
export type Client = ReturnType<typeof createClient>;

/** An HTTP client as a customer would write it; a request with a cookie is that of a signed-in user. With a contract, throws if a response does not conform. */
export function createClient(url: string, key: string | undefined, contract?: Contract) {
  async function call(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== undefined && headers.cookie === undefined && { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers: received } = response;
    const isJson = received.get('content-type')?.startsWith('application/json') === true && text !== '';
    const parsed: Json = isJson ? JSON.parse(text) : undefined;
    const departures = contract?.departures(method, path, { status, headers: received, text, body: parsed }) ?? [];
    if (departures.length > 0)
      throw new Error(`${method} ${path} → ${status} does not match the document: ${departures.join('; ')}\n${text}`);
    return { status, headers: received, text, body: parsed, data: parsed?.data, error: parsed?.error };
  }
  return {
    key,
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', path, undefined, headers),
    post: (path: string, body: object = {}, headers?: Record<string, string>) => call('POST', path, body, headers),
    put: (path: string, body: object = {}, headers?: Record<string, string>) => call('PUT', path, body, headers),
    delete: (path: string, headers?: Record<string, string>) => call('DELETE', path, undefined, headers),
  };
}
