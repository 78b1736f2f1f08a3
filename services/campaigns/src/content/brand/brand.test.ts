import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly } from '../../../test/setting.ts';
import { defaultBrand } from './brand.ts';

const path = '/v2/campaigns/brand';

test('the brand of an account', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());

  await t.test('has defaults, keeps omitted fields, and clears those that are null', async () => {
    const owner = testClient(app);
    assert.deepEqual((await owner.get(path)).data, { ...defaultBrand, revision: 0 });
    const colors = { primary: '#C2410C', background: '#fff7ed', surface: '#ffffff', text: '#111111' };
    const set = {
      company_name: 'Acme',
      colors,
      postal_address: '1 Main St\nBerlin',
      social_links: [{ network: 'x', url: 'https://x.com/a' }],
    };
    const expected = { ...defaultBrand, ...set, colors: { ...colors, primary: '#c2410c' } };
    assert.deepEqual((await owner.put(path, set)).data, { ...expected, revision: 1 });
    assert.deepEqual((await owner.put(path, { company_name: null })).data, { ...expected, company_name: null, revision: 2 });
    const { data } = await owner.get(path);
    assert.deepEqual((await owner.put(path, data)).data, data, 'a response of GET can be sent back');
    assert.deepEqual((await testClient(app).get(path)).data, { ...defaultBrand, revision: 0 }, 'of another account is another');
  });

  await t.test('rejects what an email could not show', async () => {
    const owner = testClient(app);
    const colors = { ...defaultBrand.colors, text: 'red; background: url(x)' };
    const wrong: [object, string][] = [
      [{ colors }, '/colors/text'],
      [{ logo_url: 'javascript:alert(1)' }, '/logo_url'],
      [{ logo_width: 0 }, '/logo_width'],
      [{ font: 'Comic Sans' }, '/font'],
      [{ social_links: [{ network: 'x', url: 'x.com' }] }, '/social_links/0/url'],
      [{ footer_text: 'a\u0000b' }, '/footer_text'],
    ];
    for (const [body, at] of wrong) {
      const { status, error } = await owner.put(path, body);
      assert.deepEqual([status, error.details[0].path], [400, at]);
    }
  });

  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'campaigns:write', url: () => path, body: { font: 'georgia' } });
});
