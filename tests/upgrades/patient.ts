import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client.ts';

const pauseMs = 500;
const attempts = 600;

/** A client that repeats a request with the same key until the platform has time for it, as the SDK does. */
export function patient(client: Client): Client {
  let keys = 0;
  const call: Client['call'] = async (method, path, body, headers = {}) => {
    keys += 1;
    const own = method === 'GET' ? headers : { 'idempotency-key': `patient-${process.pid}-${keys}`, ...headers };
    for (let attempt = 1; ; attempt += 1) {
      const response = await client.call(method, path, body, own).catch((error: Error) => error);
      const busy =
        (response instanceof Error && !/does not match/.test(response.message)) ||
        (!(response instanceof Error) &&
          (response.status === 429 || response.status >= 500 || response.error?.code === 'IDEMPOTENCY_IN_PROGRESS'));
      if (busy && attempt < attempts) {
        await sleep(pauseMs);
        continue;
      }
      if (response instanceof Error) throw response;
      return response;
    }
  };
  return {
    key: client.key,
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body = {}, headers) => call('POST', path, body, headers),
    put: (path, body = {}, headers) => call('PUT', path, body, headers),
    delete: (path, headers) => call('DELETE', path, undefined, headers),
  };
}
