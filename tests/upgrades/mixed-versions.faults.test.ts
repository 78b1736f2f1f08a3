import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import { createClient } from '../client.ts';
import { imagePrefix } from '../deploy/container.ts';
import { startLoad, startRolling } from '../deploy/rolling-platform.ts';
import { startMailSink } from '../mail-sink.ts';
import { checkOut, hasVersion } from './checkout.ts';

const version = '0.1.0';
const isThere = await hasVersion(version);
const skip = imagePrefix ? 'the images have one version' : !isThere && `this clone has no history of ${version}`;

test(`an upgrade from ${version} and a rollback, replica by replica under load, fail no request and lose nothing`, { skip }, async (t) => {
  const sink = await startMailSink(t);
  const old = await checkOut(version, t);
  const { platform, url, replace } = await startRolling(t, { env: { SMTP_URL: sink.url }, from: old });
  const key = ['--name', 'load', '--permission', 'read_write', '--account', 'rolling', '--plan', 'enterprise'];
  const client = createClient(url, await platform.command('key.ts', ...key));
  const made = async (path: string, body: object): Promise<string> => {
    const { status, data, text } = await client.post(path, body);
    assert.equal(status, 201, text);
    return data.id;
  };
  const segment = await made('/v2/segments', {
    name: 'Everybody of the load',
    definition: { all: [{ field: 'email', op: 'ends_with', value: '@example.com' }] },
  });
  await made('/v2/workflows', {
    name: 'Welcome',
    status: 'active',
    trigger: { type: 'segment_entered', segment_id: segment },
    steps: [{ id: 'tag', type: 'add_tag', tag: 'welcomed' }],
  });
  const created = new Set<string>();
  /** Replaces every replica under load; what was created meanwhile then arrives everywhere, whichever versions run. */
  async function replaceAll(its: { from?: string }, name: string) {
    const load = startLoad(client, { name, pauseMs: 1_500 });
    // So many that the last ones take the bulk lane, which 0.1.0 does not know.
    const imported = Array.from({ length: 700 }, (_, index) => `${name}-import-${index}@example.com`);
    const file = ['email', ...imported].join('\n');
    const { status, text } = await client.call('POST', '/v2/contacts/imports', file, { 'content-type': 'text/csv' });
    assert.equal(status, 202, text);
    for (const email of imported) created.add(email);
    for (const service of its.from === undefined ? serviceNames : serviceNames.toReversed()) await replace(service, its);
    await load.end();
    t.diagnostic(`${name}: ${load.requests()} requests`);
    assert.deepEqual(load.faults, []);
    for (const email of load.created) created.add(email);
    const total = async (query: string) =>
      (await client.get(`/v2/contacts?${query}limit=1&include=total_count`)).data.pagination.total_count;
    await eventually(async () => (await total('')) >= created.size);
    assert.equal(await total(''), created.size, 'exactly the contacts that were imported or have a 201 response exist');
    await eventually(async () => (await client.get(`/v2/segments/${segment}`)).data.count === created.size);
    await eventually(async () => (await total('tag=welcomed&')) === created.size);
  }
  await t.test('both versions serve while the new one replaces the old one', async () => {
    for (const name of serviceNames) await platform.operate(name, ['prepare']);
    await replaceAll({}, 'upgrade');
  });
  await t.test('the old version reads what the new one wrote', () => replaceAll({ from: old }, 'rollback'));
  await t.test('the new version reads what the old one wrote after the rollback', () => replaceAll({}, 'again'));
});
