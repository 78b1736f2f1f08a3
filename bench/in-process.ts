import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import type { ServiceName } from '@mp/contracts/services';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { createParts, type Parts } from '@mp/service-kit/service-parts';

const { MONGODB_URL = '', NATS_URL = '' } = process.env;
export const keyring = parseKeyring(`bench:${Buffer.alloc(32, 7).toString('base64url')}`);

/** A process that another one starts has its namespace. */
export const namespace = process.env.BENCH_NAMESPACE ?? `bench_${process.pid}`;

/** The parts of a service, not connected, with a separate database. */
export const benchParts = (name: ServiceName): Parts =>
  createParts({ name, NAMESPACE: namespace, MONGODB_URL, NATS_URL, LOG_LEVEL: 'warn', CONTEXT_KEYS: keyring, CURSOR_KEYS: keyring });

/** The connections of a service in this process, with a separate database for the benchmark to drop. */
export async function startParts(name: ServiceName): Promise<Parts> {
  const parts = benchParts(name);
  await parts.mongo.start(() => undefined);
  await parts.prepare();
  return parts;
}

/** The headers of a request from the gateway. */
export const headersFor = (method: string, path: string, accountId: AccountId) => {
  const caller = { principal_id: 'bench', permission: 'read_write' as const, scopes: null, request_id: 'req_bench000' };
  const context = { account_id: accountId, ...caller, expires_at: Date.now() + 24 * 3_600_000 };
  return { 'content-type': 'application/json', [contextHeader]: signContext(keyring, context, method, path) };
};

type Request = { method: 'GET' | 'POST'; path: string; payload?: object | string; type?: string };

/** Sends requests to the service as the gateway does, and returns the data of the response. */
export const createCall = (app: Server) =>
  async function call(accountId: AccountId, { method, path, payload, type }: Request) {
    const headers = { ...headersFor(method, path, accountId), ...(type && { 'content-type': type }) };
    const response = await app.inject({ method, url: path, headers, ...(payload === undefined ? {} : { payload }) });
    if (response.statusCode >= 300) throw new Error(`${method} ${path} returned ${response.statusCode}: ${response.payload}`);
    return response.json().data;
  };
