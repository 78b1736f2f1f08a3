import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { mmdbFile } from '../../test/mmdb-file.ts';
import { buildApp } from '../app.ts';
import { createCountryFile } from './country-file.ts';

const lookEveryMs = 10;

async function someFolder(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'geoip-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

function startFile(t: TestContext, path: string | undefined) {
  const warnings: unknown[] = [];
  const logger = { info: () => undefined, warn: (...line: unknown[]) => warnings.push(line) };
  const file = createCountryFile(path, { logger }, lookEveryMs);
  file.background.start();
  t.after(() => file.background.stop());
  return { countryOf: file.countryOf, warnings };
}

test('the country of an address is that of its network, in each known form of a row', async (t) => {
  const path = join(await someFolder(t), 'countries.mmdb');
  await writeFile(
    path,
    mmdbFile({
      '203.0.113.0/24': { country: { iso_code: 'DE', names: { en: 'Germany' } } },
      '198.51.100.128/25': { country_code: 'FR', country: 'France' },
      '192.0.2.7/32': { country: 'AT' },
      '10.0.0.0/8': { country: { iso_code: 'unknown' } },
      '2001:db8::/32': { country: { iso_code: 'JP' } },
    }),
  );
  const { countryOf } = startFile(t, path);
  await eventually(async () => countryOf('203.0.113.9') === 'DE');
  const found = [
    '198.51.100.200',
    '198.51.100.1',
    '192.0.2.7',
    '192.0.2.8',
    '10.1.2.3',
    '2001:db8:1::1',
    '2001:db9::1',
    '::ffff:203.0.113.1',
  ];
  assert.deepEqual(found.map(countryOf), ['FR', null, 'AT', null, null, 'JP', null, 'DE']);
  assert.deepEqual(['', 'nonsense', '203.0.113.256', '203.0.113'].map(countryOf), [null, null, null, null]);
});

test('a file is read again when it changes; a file that cannot be read replaces nothing, and is reported', async (t) => {
  const folder = await someFolder(t);
  const path = join(folder, 'countries.mmdb');
  const { countryOf, warnings } = startFile(t, path);
  assert.equal(countryOf('203.0.113.9'), null, 'there is no file yet');
  await eventually(async () => warnings.length > 0);
  /** Replaces the file at once, as a download should. */
  const put = async (bytes: Buffer) => {
    await writeFile(join(folder, 'new'), bytes);
    await rename(join(folder, 'new'), path);
  };
  await put(mmdbFile({ '203.0.113.0/24': { country: { iso_code: 'DE' } } }));
  await eventually(async () => countryOf('203.0.113.9') === 'DE');
  const before = warnings.length;
  await put(Buffer.from('not a database'));
  await eventually(async () => warnings.length > before);
  assert.equal(countryOf('203.0.113.9'), 'DE');
  await put(mmdbFile({ '203.0.113.0/24': { country: { iso_code: 'CH' } } }));
  await eventually(async () => countryOf('203.0.113.9') === 'CH');
});

test('without a file, no country is known', (t) => {
  assert.equal(startFile(t, undefined).countryOf('203.0.113.9'), null);
});

test('events from the API and from pages get the country of their IP address; a country the caller sends takes precedence', async (t) => {
  const geoipFile = join(await someFolder(t), 'countries.mmdb');
  await writeFile(
    geoipFile,
    mmdbFile({ '203.0.113.0/24': { country: { iso_code: 'DE' } }, '198.51.100.0/24': { country: { iso_code: 'FR' } } }),
  );
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, (own) => buildApp(own, { geoipFile }), { live: true });
  const account = testClient(app);
  const country = async (context: object) => {
    await account.post('/v2/leadpulse/track', { event: 'x', visitor_id: 'v', context });
    const [row] = await parts.mongo.db.collection('events').find({ account_id: account.accountId }).sort({ _id: -1 }).limit(1).toArray();
    assert.doesNotMatch(JSON.stringify(row), /203\.0\.113\.7/, 'the address is not stored');
    return row?.country;
  };
  await eventually(async () => (await country({ ip: '203.0.113.7' })) === 'DE');
  assert.deepEqual(
    [await country({ ip: '203.0.113.7', country: 'AT' }), await country({ ip: '192.0.2.1' }), await country({})],
    ['AT', null, null],
  );
  const origin = 'https://shop.example.com';
  const { data: site } = await account.post('/v2/leadpulse/sites', { name: 'Shop', origins: [origin] });
  await app.inject({
    method: 'POST',
    url: `/ingest/v1/events?key=${site.publishable_key}`,
    headers: { origin, 'x-forwarded-for': '198.51.100.9' },
    payload: { events: [{ event: '$pageview' }] },
  });
  assert.equal(
    await parts.mongo.db.collection('events').countDocuments({ account_id: account.accountId, name: '$pageview', country: 'FR' }),
    1,
  );
});
