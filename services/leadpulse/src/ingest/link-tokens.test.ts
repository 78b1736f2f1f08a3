import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VisitorToken } from '@mp/contracts/requests/leadpulse';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { decodeJwt } from 'jose';
import { buildApp } from '../app.ts';

const origin = 'https://shop.example.com';

test('links in emails identify a visitor', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const { data: site } = await account.post('/v2/leadpulse/sites', { name: 'Shop', origins: [origin] });
  const contact_id = newId('contact');
  const tokenFor = async (url: string, account_id = account.accountId) =>
    (await parts.broker.request(VisitorToken, { account_id, contact_id, url })).token;

  async function identify(token: string | null, visitor_id: string | undefined, headers = {}) {
    const response = await app.inject({
      method: 'POST',
      url: `/ingest/v1/events?key=${site.publishable_key}`,
      headers: { origin, 'x-forwarded-for': '203.0.113.7', ...headers },
      payload: { visitor_id, events: [{ event: '$identify', message_id: newId('request'), token }] },
    });
    const [{ status, code }] = response.json().data.results;
    return code ?? status;
  }

  await t.test('only on pages of a site of the account, and for ten minutes', async () => {
    for (const url of ['https://elsewhere.example/', `${origin}.evil.example/`, 'nonsense', 'mailto:a@example.com'])
      assert.equal(await tokenFor(url), null, url);
    assert.equal(await tokenFor(`${origin}/`, newId('account')), null);
    const claims = decodeJwt((await tokenFor(`${origin}/pricing?plan=pro`)) ?? '');
    assert.equal(claims.contact_id, contact_id);
    const lifetime = (claims.exp ?? 0) - Date.now() / 1_000;
    assert.ok(lifetime > 540 && lifetime <= 600, `${lifetime} seconds`);
  });

  await t.test('once: the same visitor may repeat it, another one is not identified', async () => {
    const token = await tokenFor(`${origin}/`);
    assert.equal(await identify(token, 'browser-1'), 'accepted');
    assert.equal(await identify(token, 'browser-1'), 'accepted');
    assert.equal(await identify(token, 'browser-2'), 'used_token');
    assert.equal(await identify(await tokenFor(`${origin}/`), 'browser-2'), 'accepted');
    const events = await parts.mongo.db.collection('events').find({ account_id: account.accountId }).toArray();
    assert.deepEqual(new Set(events.map(({ claims }) => claims.join())), new Set([`contact:${contact_id}`]));
  });

  await t.test('once also for visitors without a stored ID', async () => {
    const token = await tokenFor(`${origin}/`);
    assert.equal(await identify(token, undefined), 'accepted');
    assert.equal(await identify(token, undefined, { 'x-forwarded-for': '203.0.113.8' }), 'used_token');
  });
});
