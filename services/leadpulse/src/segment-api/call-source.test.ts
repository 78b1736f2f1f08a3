import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactIdentified } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { writtenEvents } from '@mp/test-kit/written-events';
import { SignJWT } from 'jose';
import { basic, inBrowser, origin, startSegment } from '../../test/start-segment.ts';
import { signLinkToken } from '../sites/identity-token.ts';

test('what a key may do in the Segment-compatible API', async (t) => {
  const { app, parts, keyOf, stored, identified, callsOf, siteOf, send } = await startSegment(t);

  await t.test('identify with a secret key tells contacts of the contact, before the calls that follow it are counted', async () => {
    const account = testClient(app);
    const traits = { email: 'ada@example.com', name: 'Ada King Lovelace', address: { city: 'London' }, seats: 3, phone: '+4930901820' };
    const batch = [
      { type: 'track', userId: 'u1', event: 'Signed Up' },
      { type: 'identify', userId: 'u1', traits },
    ];
    assert.equal((await send('batch', { batch }, basic(keyOf(account.accountId)))).status, 200);
    const events = await eventually(async () => (await identified(account.accountId)).length > 0 && identified(account.accountId));
    assert.deepEqual(
      events.map(({ person, external_id, email, fields }) => [person, external_id, email, fields]),
      [
        [
          'external:u1',
          'u1',
          'ada@example.com',
          { phone: '+4930901820', address: { city: 'London' }, first_name: 'Ada', last_name: 'King Lovelace' },
        ],
      ],
    );
    await eventually(async () => (await account.get('/v2/leadpulse/analytics')).data.totals.events === 2);
    const [first, second] = await callsOf(account);
    assert.deepEqual([first.type, second.type].sort(), ['identify', 'track']);
    const call = [first, second].find(({ type }) => type === 'identify');
    assert.deepEqual([call.status, call.notes], ['accepted', ['Traits without a contact field in the settings: seats.']]);
    assert.ok(!JSON.stringify([first, second]).includes('ada@example.com'), 'the debugger shows no traits');
  });

  await t.test('traits become fields by the table that the account has saved', async () => {
    const account = testClient(app);
    await account.put('/v2/leadpulse/settings', { segment_traits: [{ trait: 'tier', field: 'attributes.level' }] });
    await send('identify', { userId: 'u1', traits: { tier: 'gold', firstName: 'Ada' } }, basic(keyOf(account.accountId)));
    const events = await eventually(async () => (await identified(account.accountId)).length > 0 && identified(account.accountId));
    assert.deepEqual(
      events.map(({ fields }) => fields),
      [{ attributes: { level: 'gold' } }],
    );
  });

  await t.test('with a key that lacks contacts:write, identify changes the visitor only', async () => {
    const account = testClient(app);
    const key = keyOf(account.accountId, { scopes: ['leadpulse:write'] });
    await send('identify', { userId: 'u1', traits: { email: 'ada@example.com' } }, basic(key));
    await eventually(async () => (await account.get('/v2/leadpulse/analytics')).data.totals.events === 1);
    assert.deepEqual(await identified(account.accountId), []);
    assert.match((await callsOf(account))[0].notes[0], /contacts:write/);
  });

  await t.test('a page reaches a contact only with a token that the server of the site signed, and then only that contact', async () => {
    const account = testClient(app);
    const site = await siteOf(account);
    const other = await siteOf(account);
    const sign = (secret: string) =>
      new SignJWT({ sub: 'u7', email: 'own@example.com' })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(Buffer.from(secret));
    const traits = { email: 'victim@example.com', phone: '+4930901820', firstName: 'Eve', plan: 'pro' };
    const call = { anonymousId: 'a1', userId: 'victim', traits, writeKey: site.publishable_key };
    for (const [path, context] of [
      ['identify', {}],
      ['alias', {}],
      ['group', {}],
      ['identify', { token: await sign(other.identity_secret) }],
      ['identify', { token: await sign(site.identity_secret) }],
    ] as const)
      assert.equal((await send(path, { ...call, context }, inBrowser)).status, 200);
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ claims, visitor_id }) => [claims, visitor_id]),
      [...Array(4).fill([[], 'a1']), [['external:u7'], 'a1']],
    );
    assert.ok(!JSON.stringify(rows).includes('eyJ'), 'the token is not stored');
    const events = await eventually(async () => (await identified(account.accountId)).length > 0 && identified(account.accountId));
    assert.deepEqual(
      events.map(({ external_id, email, fields }) => [external_id, email, fields]),
      [['u7', 'own@example.com', { first_name: 'Eve', attributes: { plan: 'pro' } }]],
    );
  });

  await t.test('the token of a link in an email identifies one visitor and changes no contact, even without anonymousId', async () => {
    const account = testClient(app);
    const site = await siteOf(account);
    const contact = newId('contact');
    const token = await signLinkToken(site.identity_secret, contact, Date.now());
    for (const agent of ['Firefox', 'Firefox', 'Chrome'])
      await send(
        'identify',
        { traits: { plan: 'pro' }, context: { token }, writeKey: site.publishable_key },
        { ...inBrowser, 'user-agent': agent },
      );
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ claims, person }) => [claims, person]),
      [
        [[`contact:${contact}`], undefined],
        [[`contact:${contact}`], undefined],
        [[], undefined],
      ],
    );
  });

  await t.test('contacts of /v1/import start no workflows', async () => {
    const account = testClient(app);
    const key = keyOf(account.accountId);
    const identify = (userId: string) => ({ type: 'identify', userId, traits: { plan: 'pro' } });
    await send('import', { batch: [identify('past')] }, basic(key));
    await send('batch', { batch: [identify('present')] }, basic(key));
    const published = await eventually(async () => {
      const events = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: ContactIdentified.subject });
      return events.length === 2 && events;
    });
    assert.deepEqual(published.map(({ envelope }) => [envelope.data.external_id, envelope.starts_workflows]).sort(), [
      ['past', false],
      ['present', undefined],
    ]);
  });

  await t.test('a page cannot send past events', async () => {
    const account = testClient(app);
    const site = await siteOf(account);
    const batch = [{ type: 'track', anonymousId: 'a1', event: 'x' }];
    const { status, body } = await send('import', { batch, writeKey: site.publishable_key }, inBrowser);
    assert.deepEqual([status, body.code], [403, 'forbidden']);
    assert.equal((await stored(account.accountId)).length, 0);
  });

  await t.test('only wrong keys count in the limit of an address: neither pages nor other servers behind it slow a server', async () => {
    const account = testClient(app);
    const [key, site] = [keyOf(account.accountId), await siteOf(account)];
    const address = { 'x-forwarded-for': '203.0.113.99' };
    const statuses = async (headers: Record<string, string>, writeKey?: string) => {
      const sent = Array.from({ length: 400 }, () => send('batch', { batch: [], writeKey }, { ...address, ...headers }));
      return new Set((await Promise.all(sent)).map(({ status }) => status));
    };
    for (let round = 0; round < 3; round += 1) await statuses(inBrowser, site.publishable_key);
    for (let round = 0; round < 3; round += 1) assert.deepEqual(await statuses(basic(key)), new Set([200]));
    const wrong = basic(key.replace(/0$/, '1'));
    assert.deepEqual(await statuses(wrong), new Set([401]));
    assert.ok((await statuses(wrong)).has(429), 'guessing is slow');
  });

  await t.test('a browser may read the responses of its site; a secret key is refused in every browser', async () => {
    const account = testClient(app);
    const [key, site] = [keyOf(account.accountId), await siteOf(account)];
    const call = { anonymousId: 'a1', event: 'x' };
    const preflight = await app.inject({ method: 'OPTIONS', url: '/v1/t', headers: { origin, 'access-control-request-method': 'POST' } });
    assert.deepEqual(
      [preflight.statusCode, preflight.headers['access-control-allow-headers']],
      [204, 'authorization, content-type, x-retry-count'],
    );
    const own = await send('t', { ...call, writeKey: site.publishable_key }, inBrowser);
    assert.equal(own.headers['access-control-allow-origin'], origin);
    const foreign = await send('t', { ...call, writeKey: site.publishable_key }, { ...inBrowser, origin: 'https://evil.example' });
    assert.deepEqual([foreign.status, foreign.headers['access-control-allow-origin']], [403, undefined]);
    const secret = await send('t', call, { ...inBrowser, ...basic(key) });
    assert.deepEqual([secret.status, secret.headers['access-control-allow-origin']], [403, undefined]);
    assert.equal((await stored(account.accountId)).length, 1);
  });

  await t.test('a key reaches only its own account, even with the publishable key of another account', async () => {
    const [one, two] = [testClient(app), testClient(app)];
    const site = await siteOf(two);
    await send('track', { userId: 'u1', event: 'x', writeKey: site.publishable_key }, basic(keyOf(one.accountId)));
    assert.deepEqual([(await stored(one.accountId)).length, (await stored(two.accountId)).length], [1, 0]);
    await send('t', { anonymousId: 'a', event: 'x', writeKey: site.publishable_key }, inBrowser);
    assert.deepEqual([(await callsOf(one)).length, (await callsOf(two)).length], [1, 1]);
  });
});
