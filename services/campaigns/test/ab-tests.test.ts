import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { html, variants } from './ab-test-fixtures.ts';
import { account, read, smallest, startSetting } from './setting.ts';

test('A/B tests', async (t) => {
  const { app, neighbours } = await startSetting(t);
  const owner = account(app);
  const people = 40;
  neighbours.contacts(owner.accountId, people);

  await t.test('invalid tests are rejected with the reason', async () => {
    const post = async (body: object) => (await owner.post('/v2/campaigns', { ...smallest, html, ...body })).error;
    const abTest = { variants, sample_percent: 50, metric: 'opens' };
    const [a, b] = variants;
    const heavy = await post({
      ab_test: {
        ...abTest,
        variants: [
          { ...a, weight: 60 },
          { ...b, weight: 50 },
        ],
      },
    });
    assert.deepEqual([heavy.code, heavy.details[0].path], ['VALIDATION_ERROR', '/ab_test/variants']);
    assert.match(heavy.details[0].message, /add up to 100.*110/);
    const untracked = await post({ ab_test: abTest, track: { opens: false } });
    assert.deepEqual([untracked.details[0].path, untracked.details[0].code], ['/ab_test/metric', 'not_tracked']);
    const conversions = await post({ ab_test: { ...abTest, metric: 'conversions' }, track: { clicks: false } });
    assert.equal(conversions.details[0].code, 'not_tracked');
    const broken = await post({ ab_test: { ...abTest, variants: [a, { ...b, html: '<p>\n{{ contact.nope }}</p>' }] } });
    assert.deepEqual([broken.details[0].path, broken.details[0].line], ['/ab_test/variants/1/html', 2]);
    const noCurrency = await post({ ab_test: { ...abTest, metric: 'revenue' } });
    assert.deepEqual([noCurrency.details[0].path, noCurrency.code], ['/ab_test/currency', 'VALIDATION_ERROR']);
    assert.equal((await post({ ab_test: { ...abTest, currency: 'EUR' } })).details[0].path, '/ab_test/currency');
    for (const bad of [{ sample_percent: 0 }, { variants: [a] }, { metric: 'luck' }, { duration_minutes: 0 }])
      assert.equal((await post({ ab_test: { ...abTest, ...bad } })).code, 'VALIDATION_ERROR');
  });

  await t.test('a response of GET can be sent back, and null removes the test', async () => {
    const created = (await owner.post('/v2/campaigns', { ...smallest, html, ab_test: { variants, sample_percent: 50, metric: 'opens' } }))
      .data;
    assert.deepEqual(
      created.ab_test.variants.map(({ id }: { id: string }) => id),
      ['a', 'b'],
    );
    assert.deepEqual([created.ab_test.selection, created.ab_test.duration_minutes, created.ab_result], ['automatic', 240, null]);
    assert.equal((await owner.put(`/v2/campaigns/${created.id}`, await read(owner, created.id))).data.revision, 1);
    const preview = await owner.post(`/v2/campaigns/${created.id}/preview`, { variant: 'b' });
    assert.equal(preview.data.subject, 'Subject B');
    assert.equal((await owner.post(`/v2/campaigns/${created.id}/preview`, { variant: 'c' })).status, 400);
    assert.equal((await owner.put(`/v2/campaigns/${created.id}`, { ab_test: null })).data.ab_test, null);
  });

  await t.test('a dry run renders each contact with its variant', async () => {
    const risky = { ...variants[1], html: '<p><a href="{% if contact.email %}javascript:x{% endif %}">B</a></p>' };
    const ab_test = { variants: [variants[0], risky], sample_percent: 100, metric: 'opens' };
    const { id } = (await owner.post('/v2/campaigns', { ...smallest, html, ab_test })).data;
    const { data } = await owner.post(`/v2/campaigns/${id}/dry-run`);
    const subjects = new Set(data.samples.map(({ subject }: { subject: string }) => subject));
    assert.deepEqual([...subjects], ['Subject A']);
    const [failed] = data.skipped;
    assert.equal(failed.reason, 'template_error');
    assert.ok(data.would_send > 5 && failed.count > 5 && data.would_send + failed.count === people, 'about half get each');
  });

  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'campaigns:read',
    url: async (client) => `/v2/campaigns/${(await client.post('/v2/campaigns', smallest)).data.id}/analytics/export`,
  });
  await guaranteeRoute(t, app, {
    ...{ method: 'POST', scope: 'campaigns:send', body: { variant: 'a' } },
    url: async (client) => `/v2/campaigns/${(await client.post('/v2/campaigns', smallest)).data.id}/winner`,
  });
});
