import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Scope, scopes } from '@mp/contracts/permissions';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { generatedRoutes } from '../../proxy/routes/generated-config.ts';

const author: Scope[] = ['campaigns:read', 'campaigns:write'];

test('roles of an account', async (t) => {
  const gateway = await startTestGateway(t, { routes: generatedRoutes() });
  const { call, send, makeKey, makeAccount, stores } = gateway;

  async function setUp() {
    const account = await makeAccount();
    const admin = await makeKey({ account });
    const settings = (method: string, path: string, body: object = {}, key = admin) => send(method, `/v2/settings${path}`, body, { key });
    const make = async (held: readonly Scope[], name = `Role ${Math.random()}`) => {
      const { status, data, text } = await settings('POST', '/roles', { name, scopes: held });
      assert.equal(status, 201, text);
      return data;
    };
    /** A signed-in user with this role. */
    const person = async (role: string) => {
      const { status, data, text } = await settings('POST', '/users', { email: `${crypto.randomUUID()}@example.com`, role });
      assert.equal(status, 201, text);
      const user = await stores.users.find(account.id, data.id);
      assert.ok(user);
      return { ...data, headers: await gateway.signIn(account, user) };
    };
    return { account, admin, settings, make, person };
  }
  type Browser = { headers: Record<string, string> };
  const me = async ({ headers }: Browser) => call('/v2/me', { headers });
  const act = (browser: Browser, method: string, path: string, body: object = {}) => send(method, path, body, browser);

  await t.test('built-in roles are listed with their scopes and cannot be changed, deleted or imitated', async () => {
    const { settings } = await setUp();
    const { items } = (await settings('GET', '/roles')).data;
    const ids = items.map((role: { id: string }) => role.id);
    assert.deepEqual(ids, ['owner', 'admin', 'editor', 'viewer']);
    const [, admin, editor, viewer] = items;
    assert.deepEqual([admin.scopes, admin.built_in], [scopes, true]);
    assert.ok(editor.scopes.includes('contacts:erase') && !editor.scopes.includes('settings:read'));
    assert.ok(viewer.scopes.every((scope: Scope) => scope.endsWith(':read') || scope === 'contacts:export'));
    assert.deepEqual((await settings('GET', '/roles/editor')).data, editor);
    for (const [method, body] of [['PUT', { name: 'x' }] as const, ['DELETE', {}] as const]) {
      const response = await settings(method, '/roles/editor', body);
      assert.deepEqual([response.status, response.error.code], [409, 'INVALID_STATE']);
    }
    assert.equal((await settings('POST', '/roles', { name: 'ADMIN', scopes: author })).status, 400);
  });

  await t.test('a user with a custom role may do what its scopes say, and nothing else', async () => {
    const { make, person } = await setUp();
    const role = await make(author, 'Author');
    assert.deepEqual([role.permission, role.built_in, role.description], ['read_write', false, '']);
    const ada = await person(role.id);
    assert.deepEqual([ada.role, ada.permission, ada.scopes], [role.id, 'read_write', author]);
    assert.deepEqual((await me(ada)).data.scopes, author);
    assert.equal((await act(ada, 'POST', '/v2/campaigns')).status, 200);
    assert.equal((await act(ada, 'POST', '/v2/campaigns/campaign_1/send')).status, 403);
    assert.equal((await act(ada, 'GET', '/v2/contacts')).status, 403);
    assert.equal((await act(ada, 'GET', '/v2/settings/users')).status, 403);
  });

  await t.test('a role that gains a scope keeps its sessions, and one that loses a scope ends them', async () => {
    const { settings, make, person } = await setUp();
    const role = await make(author);
    const [ada, other] = [await person(role.id), await person('viewer')];
    await settings('PUT', `/roles/${role.id}`, { ...role, name: 'Renamed', description: 'Writes emails.' });
    assert.equal((await act(ada, 'GET', '/v2/contacts')).status, 403);
    const grown = await settings('PUT', `/roles/${role.id}`, { scopes: [...author, 'contacts:read'] });
    assert.deepEqual([grown.status, grown.data.name, grown.data.description], [200, 'Renamed', 'Writes emails.']);
    assert.equal((await act(ada, 'GET', '/v2/contacts')).status, 200);
    assert.deepEqual((await settings('GET', `/users/${ada.id}`)).data.scopes, [...author, 'contacts:read']);
    await settings('PUT', `/roles/${role.id}`, { scopes: ['campaigns:read', 'contacts:read'] });
    assert.equal((await me(ada)).status, 401);
    assert.equal((await me(other)).status, 200);
  });

  await t.test('nobody makes, widens or gives a role with more than they have', async () => {
    const { settings, make, person } = await setUp();
    const held: Scope[] = ['settings:read', 'settings:write', 'contacts:read'];
    const office = await make(held, 'Office');
    const [stronger, eve] = [await make(author), await person(office.id)];
    const target = await person('viewer');
    for (const [method, path, body] of [
      ['POST', '/roles', { name: 'Mine', scopes: ['settings:keys'] }],
      ['PUT', `/roles/${office.id}`, { scopes: [...held, 'contacts:export'] }],
      ['PUT', `/roles/${stronger.id}`, { scopes: ['campaigns:read'] }],
      ['PUT', `/users/${target.id}`, { role: stronger.id }],
      ['PUT', `/users/${eve.id}`, { role: 'admin' }],
      ['POST', '/users', { email: 'x@example.com', role: 'viewer' }],
      ['POST', '/users', { email: 'x@example.com', role: stronger.id }],
      ['POST', '/api-keys', { name: 'x', permission: 'read_only', scopes: ['contacts:read'] }],
      [
        'POST',
        '/identity-providers',
        { name: 'x', issuer: 'https://login.example.com', client_id: 'x', client_secret: 'y', enabled: false },
      ],
    ] as const) {
      const response = await act(eve, method, `/v2/settings${path}`, body);
      assert.deepEqual([response.status, response.error?.code], [403, 'FORBIDDEN'], `${method} ${path} ${JSON.stringify(body)}`);
    }
    const lesser = await act(eve, 'POST', '/v2/settings/roles', { name: 'Reader', scopes: ['contacts:read'] });
    assert.equal(lesser.status, 201, lesser.text);
    assert.equal((await act(eve, 'POST', '/v2/settings/users', { email: 'y@example.com', role: lesser.data.id })).status, 201);
    const expiring = await makeKey({ account: (await setUp()).account, expires_at: new Date(Date.now() + 60_000) });
    assert.equal((await settings('POST', '/roles', { name: 'Reader', scopes: author }, expiring)).status, 403);
  });

  await t.test('a role in use cannot be deleted; names are unique; roles of other accounts do not exist', async () => {
    const { settings, make, person } = await setUp();
    const role = await make(author, 'Author');
    const ada = await person(role.id);
    const used = await settings('DELETE', `/roles/${role.id}`);
    assert.deepEqual([used.status, used.error.code, used.error.details[0].id], [409, 'CONFLICT', ada.id]);
    const taken = await settings('POST', '/roles', { name: 'AUTHOR', scopes: author });
    assert.deepEqual([taken.status, taken.error.details[0].existing_id], [409, role.id]);
    const stranger = await setUp();
    const elsewhere = await stranger.settings('POST', '/users', { email: 'x@example.com', role: role.id });
    assert.deepEqual([elsewhere.status, elsewhere.error.details[0].path, elsewhere.error.details[0].code], [400, '/role', 'unknown_role']);
    for (const method of ['GET', 'PUT', 'DELETE']) assert.equal((await stranger.settings(method, `/roles/${role.id}`)).status, 404);
    assert.equal((await settings('PUT', `/users/${ada.id}`, { role: 'viewer' })).data.scopes, null);
    assert.equal((await settings('DELETE', `/roles/${role.id}`)).status, 200);
    const log = await settings('GET', `/audit-log?target_id=${role.id}`);
    assert.deepEqual(
      log.data.items.map(({ action }: { action: string }) => action),
      ['role.removed', 'role.created'],
    );
  });

  await t.test('a user whose custom role is unknown may do nothing', async () => {
    const { account, make, person } = await setUp();
    const ada = await person((await make(author)).id);
    await gateway.parts.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: ada.id }, { $unset: { role_scopes: 1 } });
    const user = await stores.users.find(account.id, ada.id);
    assert.ok(user);
    const headers = await gateway.signIn(account, user);
    assert.equal((await act({ headers }, 'GET', '/v2/campaigns')).status, 403);
    assert.deepEqual((await me({ headers })).data.scopes, []);
  });

  await t.test('limits reach the services in the session, follow the role, and cannot be lifted by its users', async () => {
    const { settings, person } = await setUp();
    const sending_limits = { topics: ['news'], senders: ['@Example.com'] };
    const held = ['campaigns:read', 'campaigns:write', 'campaigns:send'];
    const made = await settings('POST', '/roles', { name: 'Newsletter', scopes: held, sending_limits });
    const stored = { topics: ['news'], senders: ['@example.com'] };
    assert.deepEqual([made.status, made.data.sending_limits], [201, stored], made.text);
    const ada = await person(made.data.id);
    assert.deepEqual((await me(ada)).data.sending_limits, stored);

    for (const scope of ['settings:read', 'settings:write', 'settings:keys']) {
      const refused = await settings('POST', '/roles', { name: scope, scopes: [...held, scope], sending_limits });
      assert.deepEqual([refused.status, refused.error.details[0].path], [400, '/sending_limits']);
      assert.equal((await settings('PUT', `/roles/${made.data.id}`, { scopes: [...held, scope] })).status, 400);
    }
    const free = await settings('PUT', `/roles/${made.data.id}`, { sending_limits: { topics: null, senders: null } });
    assert.deepEqual([free.status, free.data.sending_limits], [200, null]);
    assert.equal((await me(ada)).data.sending_limits, null);
    assert.equal((await settings('PUT', `/roles/${made.data.id}`, { sending_limits: { topics: [] } })).status, 200);
    assert.equal((await me(ada)).status, 401, 'who may do less signs in again');
  });
});
