import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import { MongoClient } from 'mongodb';
import type { ApiResponse, Client } from '../client.ts';
import type { Contract, Json } from '../contract.ts';
import type { Platform } from '../platform.ts';
import type { Call } from './fixtures.ts';

type Write = { request: Parameters<Client['call']>; first: ApiResponse };

/** Sends every write twice concurrently with one Idempotency-Key, then again. All must get the response of the one that took effect. */
export function createIdempotencyCheck(client: Client) {
  const writes = new Map<string, Write>();
  const faults: string[] = [];

  /** Whether the operation accepts an Idempotency-Key, as documented. */
  const isWrite = ({ operation }: Contract['operations'][number]) =>
    (operation.parameters ?? []).some(({ name }: { name?: string }) => name === 'Idempotency-Key');

  const call: Call = async (operation, [method, path, body, headers]) => {
    if (!isWrite(operation)) return client.call(method, path, body, headers);
    const request: Write['request'] = [method, path, body, { ...headers, 'idempotency-key': randomUUID() }];
    const send = () =>
      eventually(async () => {
        const response = await client.call(...request);
        return !isTemporary(response) && response;
      });
    const both = await Promise.all([send(), send()]);
    const first = both.find(({ headers }) => headers.get('idempotent-replayed') === null) ?? both[0];
    if (first.status >= 300) return first;
    const done = both.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    if (done.length !== 1) faults.push(`${operation.id} took effect ${done.length} times: ${JSON.stringify(done.map(shown))}`);
    for (const again of [...both.filter((response) => response !== first), await send()])
      faults.push(...departures(operation.id, first, again));
    const other = another(path, body);
    if (other) {
      const refused = await client.call(method, ...other, request[3]);
      const recorded = `${refused.status} ${refused.error?.code}`;
      if (recorded !== '422 IDEMPOTENCY_KEY_REUSED') faults.push(`another ${operation.id} with the same key → ${recorded}`);
    }
    if (!writes.has(operation.id)) writes.set(operation.id, { request, first });
    return first;
  };

  return {
    isWrite,
    writes,
    faults,
    call,

    /** Repeats every write. Returns the responses that differ from the stored ones. */
    async again(): Promise<string[]> {
      const found: string[] = [];
      for (const [id, { request, first }] of writes) found.push(...departures(id, first, await client.call(...request)));
      return found;
    },

    /** The number of stored responses of each service, and their lifetime. */
    async kept({ infra, namespace }: Platform) {
      const mongo = await MongoClient.connect(infra.env.MONGODB_URL ?? '');
      try {
        const found = serviceNames.map(async (name) => {
          const claims = mongo
            .db(`${namespace}_${name}`)
            .collection<{ expires_at: Date; outcome?: object; sealed?: string }>('idempotency_claims');
          const [newest] = await claims.find().sort({ expires_at: -1 }).limit(1).toArray();
          const indexes = await claims.indexes();
          const ttl = indexes.find(({ key }) => key.expires_at === 1)?.expireAfterSeconds;
          const hours = (Number(newest?.expires_at ?? 0) - Date.now()) / 3_600_000;
          return [name, { claims: await claims.countDocuments(), hours, ttl }] as const;
        });
        return Object.fromEntries(await Promise.all(found));
      } finally {
        await mongo.close();
      }
    },
  };
}

/** The duplicate of a slow write gets IDEMPOTENCY_IN_PROGRESS; under load, either may get one of the others. */
const isTemporary = ({ error }: ApiResponse) =>
  ['IDEMPOTENCY_IN_PROGRESS', 'SERVICE_UNAVAILABLE', 'RATE_LIMITED', 'UPSTREAM_TIMEOUT'].includes(error?.code);

const shown = ({ status, data, headers }: ApiResponse) => ({ status, data, location: headers.get('location'), etag: headers.get('etag') });

/** A different request to the same route, if there is one. */
function another(path: string, body: Json): [string, Json] | undefined {
  const [id] = [...path.matchAll(/[0-9a-z]{26}/g)].at(-1) ?? [];
  if (id !== undefined) return [path.replace(id, '01h455vb4pex5vsknk084sn02q'), body];
  const name = ['name', 'email'].find((member) => typeof body?.[member] === 'string');
  return name === undefined ? undefined : [path, { ...body, [name]: `another_${body[name]}` }];
}

/** The differences between a response and the replay of the first one. */
function departures(id: string, first: ApiResponse, again: ApiResponse): string[] {
  const found: string[] = [];
  if (!isDeepStrictEqual(shown(again), shown(first)))
    found.push(`${id} returned ${JSON.stringify(shown(first))} and then ${JSON.stringify({ ...shown(again), error: again.error })}`);
  else if (again.headers.get('idempotent-replayed') !== 'true') found.push(`${id} lacks the header of a replay`);
  if (again.headers.get('x-request-id') === first.headers.get('x-request-id'))
    found.push(`${id} repeats the request id of the first response`);
  return found;
}
