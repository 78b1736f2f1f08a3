import assert from 'node:assert/strict';
import type { Json } from '../../contract.ts';
import { readArchive } from '../archive.ts';
import { everything } from '../scenario/world.ts';
import type { Upgraded } from './upgraded.ts';

/** The documents of a collection as they were before the upgrade. */
async function storedIn(version: string, service: string, name: string): Promise<Json[]> {
  const stored: Json[] = await readArchive(new URL(`../${version}/${service}.bson.br`, import.meta.url).pathname);
  const at = stored.findIndex(({ collection }) => collection === name);
  return stored.slice(at + 1, at + 1 + Number(stored[at]?.count));
}

/** Everything of the demo account, in which nobody did anything when the platform was killed, is listed. */
export async function checkDemo({ platform, manifest: { version } }: Upgraded) {
  const account = (await storedIn(version, 'gateway', 'accounts')).find(({ name }) => name === 'demo');
  const client = await platform.client('--permission', 'admin', '--account', 'demo');
  const idsOf = (documents: readonly Json[]) => documents.map(({ _id, id = _id }) => id).sort();
  for (const [service, name, path] of [
    ['contacts', 'contacts', '/v2/contacts'],
    ['segments', 'segments', '/v2/segments'],
    ['campaigns', 'campaigns', '/v2/campaigns'],
    ['workflows', 'workflows', '/v2/workflows'],
  ] as const) {
    const stored = (await storedIn(version, service, name)).filter(({ account_id }) => account_id === account?._id);
    assert.ok(stored.length > 0, name);
    assert.deepEqual(idsOf(await everything(client, path)), idsOf(stored), name);
  }
  for (const { id, count } of await everything(client, '/v2/segments'))
    assert.equal((await everything(client, `/v2/segments/${id}/contacts`)).length, count, `members of ${id}`);
  const recipients = await storedIn(version, 'campaigns', 'recipients');
  const runs = await storedIn(version, 'workflows', 'runs');
  for (const { id } of await everything(client, '/v2/campaigns'))
    assert.equal(
      (await everything(client, `/v2/campaigns/${id}/ledger`)).length,
      recipients.filter(({ source, source_id }) => source === 'campaign' && source_id === id).length,
    );
  for (const { id } of await everything(client, '/v2/workflows'))
    assert.equal(
      (await everything(client, `/v2/workflows/${id}/runs`)).length,
      runs.filter(({ workflow_id }) => workflow_id === id).length,
    );
}
