import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { startSingleSignOn } from '../../../test/start-single-sign-on.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { createIdentityProvidersStore } from './identity-providers-store.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url');

test('identity providers and domains of an account', async (t) => {
  const { gateway, records, createCompany, openBrowser, startIdentityProvider } = await startSingleSignOn(t);
  const idp = await startIdentityProvider();
  const { account, settings, addProvider, prove, audited } = await createCompany();
  const wanted = { name: 'Login', issuer: idp.issuer, ...idp.client };

  await t.test('the client secret is never returned, audited or stored in plain text', async () => {
    const provider = await addProvider(idp);
    const changed = await settings('PUT', `/identity-providers/${provider.id}`, {
      ...provider,
      name: 'Okta',
      client_secret: 'another secret',
    });
    assert.deepEqual([changed.status, changed.data.name], [200, 'Okta'], changed.text);
    const shown = await Promise.all(
      ['/identity-providers', `/identity-providers/${provider.id}`, '/audit-log'].map((path) => settings('GET', path)),
    );
    for (const text of [changed.text, ...shown.map((response) => response.text), await gateway.everythingStored()])
      for (const secret of [idp.client.client_secret, 'another secret']) assert.ok(!text.includes(secret));
    assert.equal(await gateway.stores.identityProviders.secretOf({ id: shown[1]?.data.id, account_id: account.id }), 'another secret');
    const [entry] = await audited('identity_provider.changed');
    assert.deepEqual([entry.details.before.name, entry.details.after.name, entry.details.secret_changed], ['Login', 'Okta', true]);
    assert.deepEqual((await settings('DELETE', `/identity-providers/${provider.id}`)).data, { id: provider.id, deleted: true });
    assert.equal((await settings('GET', `/identity-providers/${provider.id}`)).status, 404);
  });

  await t.test('secrets follow the keyring, so that an old key can be removed', async () => {
    const { id } = await addProvider(idp);
    const { db } = gateway.parts.mongo;
    const old = gateway.parts.contextKeys;
    const both = parseKeyring(`new:${key(9)},${old.signing}:${key(1)}`);
    await createIdentityProvidersStore(db, both).prepare();
    const only = createIdentityProvidersStore(db, parseKeyring(`new:${key(9)}`));
    const provider = await only.get(account.id, id);
    assert.equal(await only.secretOf(provider), idp.client.client_secret);
    assert.equal(await gateway.stores.identityProviders.secretOf(provider), undefined);
    assert.equal(await openBrowser().start(provider), '503');
    await settings('DELETE', `/identity-providers/${id}`);
  });

  await t.test('a provider that cannot be discovered is a clear error, and one that is disabled is not asked', async () => {
    const gone = await startIdentityProvider();
    await gone.stop();
    for (const [issuer, why] of [
      [gone.issuer, /no response from 127\.0\.0\.1:\d+: the connection was refused/],
      [`${idp.issuer}/nothing`, /could not be read/],
      [idp.issuer.replace('127.0.0.1', 'localhost'), /issuer/],
    ] as const) {
      const { status, error } = await settings('POST', '/identity-providers', { ...wanted, issuer });
      assert.deepEqual([status, error.details[0].path, error.details[0].code], [400, '/issuer', 'not_discovered']);
      assert.match(error.message, why);
    }
    const later = await settings('POST', '/identity-providers', { ...wanted, issuer: gone.issuer, enabled: false });
    assert.equal(later.status, 201, later.text);
    const enabled = await settings('PUT', `/identity-providers/${later.data.id}`, { enabled: true });
    assert.equal(enabled.error.details[0].code, 'not_discovered');
    const moved = await settings('PUT', `/identity-providers/${later.data.id}`, { issuer: idp.issuer });
    assert.deepEqual([moved.error.details[0].path, moved.error.details[0].code], ['/issuer', 'read_only']);
    await settings('DELETE', `/identity-providers/${later.data.id}`);
  });

  await t.test('what can determine who signs in needs all privileges of an admin', async () => {
    const narrow = await gateway.makeKey({ account, scopes: ['settings:read', 'settings:write'] });
    const brief = await gateway.makeKey({ account, expires_at: new Date(Date.now() + 3_600_000) });
    const { id } = await addProvider(idp);
    for (const caller of [narrow, brief]) {
      for (const [method, path, body] of [
        ['POST', '', wanted],
        ['PUT', `/${id}`, { default_role: 'admin' }],
      ] as const) {
        const { status, error } = await gateway.send(method, `/v2/settings/identity-providers${path}`, body, { key: caller });
        assert.deepEqual([status, error.code], [403, 'FORBIDDEN']);
      }
    }
  });

  await t.test('a domain is proven by its DNS record, and is pending again without it', async () => {
    const added = await settings('POST', '/domains', { domain: 'Bücher.example' });
    const { id, domain, status, record } = added.data;
    assert.deepEqual([domain, status, record.name], ['xn--bcher-kva.example', 'pending', '_marketing-platform.xn--bcher-kva.example']);
    const verify = async () => (await settings('POST', `/domains/${id}/verify`)).data.status;
    assert.equal(await verify(), 'pending');
    records.set(record.name, `${record.value}x`);
    assert.equal(await verify(), 'pending');
    records.set(record.name, record.value);
    assert.equal(await verify(), 'verified');
    assert.equal((await settings('GET', `/domains/${id}`)).data.status, 'verified');
    records.delete(record.name);
    assert.equal(await verify(), 'pending');
    const again = await settings('POST', '/domains', { domain: 'bücher.example' });
    assert.deepEqual([again.status, again.error.details[0].id], [409, id]);
    assert.deepEqual((await settings('DELETE', `/domains/${id}`)).data, { id, deleted: true });
    for (const action of ['domain.verified', 'domain.unverified']) assert.equal((await audited(action)).length, 1, action);
  });

  await t.test('nothing changes while the DNS is unavailable', async () => {
    await prove('steady.example');
    const [{ id, record }] = (await settings('GET', '/domains')).data.items;
    records.set(record.name, 'SERVFAIL');
    assert.equal((await settings('POST', `/domains/${id}/verify`)).data.status, 'verified');
  });
});

test('an identity provider in the internal network is not called', async (t) => {
  const { call, send, makeKey } = await startTestGateway(t);
  const admin = await makeKey();
  const create = (issuer: string) =>
    send('POST', '/v2/settings/identity-providers', { name: 'x', issuer, client_id: 'x', client_secret: 'x' }, { key: admin });
  for (const issuer of ['https://127.0.0.1:9/', 'https://169.254.169.254/latest', 'https://10.0.0.1/', 'http://login.example.com/']) {
    const { status, error } = await create(issuer);
    assert.deepEqual([status, error.details[0].code], [400, 'not_discovered'], issuer);
    assert.match(error.message, /not a public address|https/, issuer);
  }
  assert.equal((await call('/v2/settings/identity-providers', { key: admin })).data.items.length, 0);
});
