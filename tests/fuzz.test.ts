import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import { type ApiResponse, type Client, createClient } from './client.ts';
import type { Contract, Json } from './contract.ts';
import { createFixtures, createRecorder } from './documentation/fixtures.ts';
import { requestsInTime } from './fuzz/dates.ts';
import { bodySchema, invalidRequests, type Operation, type Request, validRequest } from './fuzz/requests.ts';
import { startPlatform } from './platform.ts';

/** `FUZZ_SECONDS=600 npm test -- tests/fuzz` runs longer. A failure prints its seed; `FUZZ_SEED=…` repeats it. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 2);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Statuses that a valid request can get if a resource does not exist or its state does not allow the request. */
const refusals = new Set([400, 404, 409, 412]);

/** Statuses of a busy machine, which each say that the caller can try again. */
const busy = new Set([503, 504]);
const isFault = (status: number) => status >= 500 && !busy.has(status);

test(`the API conforms to its document for any request (seed ${seed})`, async (t) => {
  const platform = await startPlatform(t);
  const contract = await platform.contract();
  const keyOf = (account: string, permission: string, ...more: string[]) =>
    platform.client('--account', account, '--permission', permission, ...more);
  // Settings requests can revoke the credential that sends them, or reject the events of others, so they use another account.
  const [owner, stranger, settings] = await Promise.all([keyOf('fuzz', 'admin'), keyOf('stranger', 'admin'), keyOf('settings', 'admin')]);
  const [reader, narrow] = await Promise.all([keyOf('fuzz', 'read_only'), keyOf('fuzz', 'admin', '--scopes', 'contacts:read')]);
  const anonymous = createClient(platform.url, undefined, contract);
  const things = (client: Client, suffix: string) => createFixtures(createRecorder(contract, client).record, suffix);
  const [resources, settingsResources] = await Promise.all([things(owner, ''), things(settings, '')]);
  /** Recreated in each round, because requests delete, send, archive and revoke them. */
  let doomed = resources;
  /** What only a user who is signed in may do: a key is refused before anything is looked up. */
  const isForPeople = ({ template }: Pick<Operation, 'template'>) => /\/(approve|reject)$|^\/v2\/comments/.test(template);
  /** Some values are for people too, such as which approval is required. */
  const isKeptFromKeys = (operation: Operation, { status, error }: ApiResponse) =>
    status === 403 && (isForPeople(operation) || error?.message.startsWith('Only a user who is signed in can '));
  const isSettings = ({ template }: Operation) => template.startsWith('/v2/settings') || template.endsWith('/settings');
  const clientOf = (operation: Operation) => (isSettings(operation) ? settings : owner);
  const pathOf = (operation: Operation) => fill(operation.template, isSettings(operation) ? settingsResources : resources);
  const counted = { sent: 0, accepted: 0, refused: 0 };

  const send = (operation: Operation, { method, target, body, headers, text }: Request) => {
    counted.sent += 1;
    const isDoomed = method === 'DELETE' || (method === 'POST' && operation.template.includes('{'));
    const path = isDoomed && !isSettings(operation) ? fill(operation.template, doomed) : pathOf(operation);
    return eventually(async () => {
      const response = await clientOf(operation).call(method, target.replace(operation.template, path), text ?? body, headers);
      return !busy.has(response.status) && response;
    });
  };
  /** Repeats rounds over all operations until the time is up, at least one. */
  async function fuzz(properties: readonly fc.IAsyncProperty<unknown[]>[]) {
    const end = Date.now() + (seconds * 1_000) / 2;
    for (let round = 0; round === 0 || Date.now() < end; round += 1) {
      doomed = await things(owner, `-${seed}-${round}-${Math.random()}`);
      await inLanes(properties, (property) => fc.assert(property, { seed: seed + round, numRuns: 2, endOnFailure: seconds < 60 }));
    }
  }

  await t.test('a valid request is accepted, or rejected as documented', async () => {
    const properties = contract.operations.map((operation) =>
      fc.asyncProperty(validRequest(contract, operation), async (request) => {
        const response = await send(operation, request);
        const { status, body } = response;
        const fine = status < 300 || refusals.has(status) || isKeptFromKeys(operation, response);
        assert.ok(fine, `${request.method} ${request.target} ${JSON.stringify(request.body)} → ${status} ${JSON.stringify(body)}`);
        counted[status < 300 ? 'accepted' : 'refused'] += 1;
      }),
    );
    await fuzz(properties);
  });

  await t.test('an invalid request gets 400', async () => {
    const properties = contract.operations.map((operation) =>
      fc.asyncProperty(invalidRequests(contract, operation), async (request) => {
        const response = await send(operation, request);
        const { status, body } = response;
        const { fault, method, target } = request;
        const description = `${fault}: ${method} ${target} ${request.text ?? JSON.stringify(request.body)} → ${status} ${JSON.stringify(body)}`;
        assert.ok(status === 400 || isKeptFromKeys(operation, response), description);
      }),
    );
    await fuzz(properties);
  });

  await t.test('no time, time zone or duration causes an internal error, and resources created with one can be read', async () => {
    const faults: string[] = [];
    /** The operations that read a created resource. */
    const looksAt = (template: string) =>
      contract.operations.filter(
        (operation) =>
          operation.template.startsWith(`${template}/{id}`) && (operation.method === 'GET' || operation.template.endsWith('/simulate')),
      );
    await inLanes(contract.operations, async (operation) => {
      for (const request of requestsInTime(contract, operation, seed, seconds >= 60)) {
        const { status, body, data } = await send(operation, request);
        const description = `${request.method} ${request.target} ${JSON.stringify(request.body)} → ${status} ${JSON.stringify(body?.error)}`;
        if (isFault(status)) faults.push(description);
        if (status !== 201 || typeof data?.id !== 'string') continue;
        for (const { method, template } of looksAt(operation.template)) {
          const seen = await clientOf(operation).call(method, template.replace('{id}', data.id), method === 'GET' ? undefined : {});
          if (isFault(seen.status)) faults.push(`${description}, then ${method} ${template} → ${seen.status}`);
        }
      }
    });
    assert.deepEqual(faults, []);
    const lists = contract.operations.filter(({ method }) => method === 'GET');
    for (const operation of lists) {
      const { status } = await clientOf(operation).get(pathOf(operation));
      assert.ok(!isFault(status), `${operation.template} → ${status}`);
    }
  });

  await t.test('an unsupported method gets 405 with the supported methods', async () => {
    for (const template of new Set(contract.operations.map((operation) => operation.template))) {
      const path = fill(template, resources);
      const own = contract.operations.filter(
        (operation) => fill(operation.template, resources) === path || covers(operation.template, path),
      );
      const methods = new Set(own.map(({ method }) => method));
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (methods.has(method)) continue;
        const { status, headers } = await owner.call(method, path);
        assert.equal(status, 405, `${method} ${path}`);
        const allowed = new Set((headers.get('allow') ?? '').split(', '));
        assert.deepEqual(allowed, methods.has('GET') ? new Set([...methods, 'HEAD']) : methods, path);
      }
    }
  });

  await t.test('HEAD returns the status of GET without a body', async () => {
    for (const operation of contract.operations.filter(({ method }) => method === 'GET')) {
      const path = pathOf(operation);
      const { status } = await clientOf(operation).get(path);
      const head = await clientOf(operation).call('HEAD', path);
      assert.deepEqual([head.status, head.body], [status, undefined], path);
    }
  });

  await t.test('a read-only key cannot write, and a scope grants access only to its own routes', async () => {
    for (const operation of contract.operations) {
      const { method, operation: described } = operation;
      const scope = described['x-scope'];
      if (method !== 'GET' || scope?.startsWith('settings:'))
        assert.equal((await reader.call(method, pathOf(operation))).status, 403, `${method} ${operation.template} by a reader`);
      if (scope !== null && scope !== 'contacts:read')
        assert.equal((await narrow.call(method, pathOf(operation))).status, 403, `${method} ${operation.template} outside its scope`);
    }
  });

  await t.test('resources of another account respond like ones that do not exist', async () => {
    const random = fc.sample(fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }), { seed, numRuns: 3 });
    const ofOne = contract.operations.filter(({ template }) => template.includes('{'));
    await inLanes(ofOne, async (operation) => {
      const foreign = fill(operation.template, isSettings(operation) ? settingsResources : resources);
      const unknown = foreign.replaceAll(/_[0-9a-z]{26}/g, '_01h455vb4pex5vsknk084sn02q');
      const [request] = fc.sample(validRequest(contract, operation), { seed, numRuns: 1 });
      const responses = await Promise.all(
        [foreign, unknown].map((path) =>
          stranger.call(operation.method, path, bodySchema(operation.operation) ? smallest(contract, operation, request?.body) : undefined),
        ),
      );
      const isHidden = (status: number) => status === 404 || status === 400 || (status === 403 && isForPeople(operation));
      for (const { status } of responses) assert.ok(isHidden(status), `${operation.method} ${foreign} by a stranger → ${status}`);
      const [first, second] = responses.map(({ error }) => ({ ...error, request_id: '' }));
      assert.deepEqual(first, second, operation.template);
      for (const text of random) {
        const path = operation.template.replaceAll(/\{[^}]*\}/g, encodeURIComponent(text).replaceAll(/%2F|%5C|%00|^\.+$/gi, 'x'));
        const { status } = await owner.call(operation.method, path, bodySchema(operation.operation) ? request?.body : undefined);
        assert.ok(isHidden(status), `${operation.method} ${path} → ${status}`);
      }
    });
  });

  await t.test('a deleted resource no longer exists', async () => {
    const deletions = contract.operations.filter(({ method, operation }) => method === 'DELETE' && !operation.requestBody);
    for (const { template } of deletions.filter((operation) => !isForPeople(operation))) {
      const path = fill(template, resources);
      const deleted = await owner.delete(path);
      assert.ok([200, 404, 409].includes(deleted.status), `DELETE ${path} → ${deleted.status} ${JSON.stringify(deleted.error)}`);
      if (deleted.status === 409) continue;
      assert.equal((await owner.delete(path)).status, 404, `DELETE ${path} again`);
      const reads = contract.operations.some((operation) => operation.method === 'GET' && operation.template === template);
      if (reads) assert.equal((await owner.get(path)).status, 404, `GET ${path} after DELETE`);
    }
  });

  // Last, because an address with many wrong credentials is rate-limited.
  await t.test('every request without a valid credential gets 401', async () => {
    const credentials = [
      '',
      'Basic YTpi',
      'Bearer',
      'Bearer x',
      `Bearer ${owner.key?.slice(0, -1)}${owner.key?.endsWith('a') ? 'b' : 'a'}`,
    ];
    for (const [index, operation] of contract.operations.entries()) {
      const missing = await anonymous.call(operation.method, pathOf(operation));
      assert.equal(missing.status, 401, `${operation.method} ${operation.template} without a credential`);
      // Only a few wrong credentials: the limit is 100 per minute and address.
      if (index >= 60) continue;
      const authorization = credentials[index % credentials.length] ?? '';
      const { status, error } = await owner.call(operation.method, pathOf(operation), undefined, { authorization });
      assert.deepEqual([status, error.code], [401, 'UNAUTHORIZED'], `${operation.method} ${operation.template} with ${authorization}`);
    }
  });

  await t.test('no request was logged as a failure', async () => {
    for (const name of serviceNames) {
      const lines = (await platform.log(name)).split('\n').filter((line) => line.includes('"request failed"'));
      const faults = lines.filter((line) => !busy.has(JSON.parse(line).status));
      assert.deepEqual(faults.slice(0, 3), [], name);
    }
    t.diagnostic(`${counted.sent} requests, ${counted.accepted} valid ones accepted, ${counted.refused} rejected`);
  });
});

/** Processes items concurrently, in a few lanes. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>, lanes = 4) {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Fills the path template with the ids of existing resources. */
function fill(template: string, resources: Record<string, string>): string {
  return template.replaceAll(/([^/]+)\/\{([^}]*)\}/g, (_, collection: string, name: string) => {
    const id = resources[name === 'id' ? collection : name] ?? resources[collection];
    return `${collection}/${id ?? 'nothing_01h455vb4pex5vsknk084sn02q'}`;
  });
}

const covers = (template: string, path: string) => new RegExp(`^${template.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path);

/** A minimal body for a request that must fail because of its path. */
function smallest({ document }: Contract, { operation }: Operation, otherwise: Json): Json {
  const schema = bodySchema(operation);
  const resolved = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  return resolved?.type === 'object' && (resolved.required ?? []).length === 0 ? {} : otherwise;
}
