import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Permission, type Scope, scopes } from '@mp/contracts/permissions';
import { serviceNames } from '@mp/contracts/services';
import { generatedRoutes } from '../src/proxy/routes/generated-config.ts';
import { BuiltInRole, type HeldRole, heldBuiltIn, heldOf, newRole } from '../src/settings/roles/role.ts';
import { invitedUser } from '../src/settings/users/user.ts';
import { startFakeService } from './fake-service.ts';
import { rawExchange } from './raw-request.ts';
import { startTestGateway } from './start-test-gateway.ts';

const routes = generatedRoutes();

/** The permission rules of api.md, implemented independently: permission by method, Admin for settings, then the scope. */
function expected(permission: Permission, held: readonly Scope[] | null, method: string, scope: Scope | null): boolean {
  const byMethod = permission === 'read_only' ? method === 'GET' : ['GET', 'POST', 'PUT', 'DELETE'].includes(method);
  const isSettings = scope?.startsWith('settings:') || scope === 'webhooks:write';
  return byMethod && (!isSettings || permission === 'admin') && (scope === null || held === null || held.includes(scope));
}

/** The built-in roles by the permission that stands for them, and custom roles with the permission that their scopes need. */
const builtInRoles = { owner: 'admin', admin: 'admin', editor: 'read_write', viewer: 'read_only' } as const;
const customRoles: Record<string, { permission: Permission; held: Scope[] }> = {
  Analyst: { permission: 'read_only', held: ['contacts:read', 'campaigns:read', 'segments:read', 'leadpulse:read', 'workflows:read'] },
  Author: {
    permission: 'read_write',
    held: ['contacts:read', 'campaigns:read', 'campaigns:write', 'workflows:read', 'workflows:write'],
  },
  'Data officer': { permission: 'admin', held: ['contacts:read', 'contacts:export', 'contacts:erase', 'settings:read', 'settings:keys'] },
};

test('every route of every service, with every permission and role, with and without its scope', async (t) => {
  // One fake service stands for all. It records the requests that were let through.
  const service = await startFakeService(t);
  const others = serviceNames.filter((name) => name !== 'gateway');
  const gateway = await startTestGateway(t, { routes, services: Object.fromEntries(others.map((name) => [name, service.url])) });
  const { parts, makeAccount, makeKey, call, send } = gateway;
  const account = await makeAccount();
  const grants = Permission.options.flatMap((permission) =>
    [null, ...scopes.map((scope) => [scope]), [...scopes]].map((held) => ({ permission, held })),
  );
  const keys = await Promise.all(
    grants.map(async ({ permission, held }) => ({
      ...{ permission, held, role: undefined },
      headers: { authorization: (await makeKey({ account, permission, ...(held && { scopes: held }) })).authorization },
    })),
  );
  /** The session of a new user with this role. */
  async function signedIn(held: HeldRole) {
    const user = invitedUser(account.id, { email: `${crypto.randomUUID()}@example.com`, ...held });
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => gateway.stores.users.insert(tx, user));
    return gateway.signIn(account, user);
  }
  const people: { permission: Permission; held: Scope[] | null; role: string; headers: Record<string, string> }[] = [];
  for (const role of BuiltInRole.options) {
    const headers = await (role === 'owner' ? gateway.signIn(account) : signedIn(heldBuiltIn(role)));
    people.push({ permission: builtInRoles[role], held: null, role, headers });
  }
  for (const [name, { permission, held }] of Object.entries(customRoles)) {
    people.push({
      permission,
      held,
      role: name,
      headers: await signedIn(heldOf(newRole(account.id, { name, description: '', scopes: held, sending_limits: null }))),
    });
  }
  // Cache the keys, so that the following requests need no database.
  for (const { headers } of [...keys, ...people]) await call('/v2/nothing', { headers });

  await t.test(`${routes.length} routes × ${keys.length + people.length} grants and roles`, async () => {
    const wrong: string[] = [];
    for (const { method, path, scope, service: owner, people: isForPeople } of routes) {
      const target = path.replaceAll(/\{[^}]+\}/g, 'no-such-id');
      const narrow = keys.filter(({ held }) => held === null || held.length > 1 || scope === null || held.includes(scope));
      const lacking = keys.filter((entry) => !narrow.includes(entry));
      // Keys with a sufficient permission are rejected by their scope only.
      const without = Permission.options.flatMap((level) => lacking.filter(({ permission }) => permission === level).slice(0, 2));
      for (const { permission, held, role, headers: sent } of [...narrow, ...without, ...people]) {
        const may = expected(permission, held, isForPeople && role !== undefined ? 'GET' : method, scope);
        // The gateway's own API is real: what is let through finds no resource, and an empty body changes nothing.
        const isOwn = may && owner === 'gateway';
        const { status, error, headers } = isOwn
          ? await send(method, target, {}, { headers: sent })
          : await call(target, { headers: sent, method });
        const challenge = headers.get('www-authenticate');
        const shown = `Bearer realm="marketing-platform", error="insufficient_scope"${scope === null ? '' : `, scope="${scope}"`}`;
        const forwarded = service.seen.splice(0).map((seen) => `${seen.method} ${seen.target}`);
        // Without a scope, the handler decides by what the request is about.
        const isLetIn = isOwn
          ? status !== 401 && challenge === null && (status !== 403 || scope === null)
          : status === 200 && forwarded.join() === `${method} ${target}`;
        const right = may ? isLetIn : status === 403 && error.code === 'FORBIDDEN' && challenge === shown && forwarded.length === 0;
        if (!right) wrong.push(`${method} ${path} as ${role ?? permission} ${held ?? 'unscoped'}: ${status} ${error?.code} ${challenge}`);
      }
      const nobody = await call(target, { method });
      if (nobody.status !== 401) wrong.push(`${method} ${path} without a credential: ${nobody.status}`);
    }
    assert.deepEqual(wrong, []);
    assert.equal(service.seen.length, 0, 'no request without a credential was let through');
  });

  await t.test('checks permission before any lookup, including for existing ids and while the database is unavailable', async () => {
    const reader = keys.find(({ permission, held }) => permission === 'read_only' && held === null);
    assert.ok(reader);
    await parts.mongo.client.close();
    for (const { method, path, scope } of routes.filter((route) => route.method !== 'GET' || route.scope?.startsWith('settings:'))) {
      const { status } = await call(path.replaceAll(/\{[^}]+\}/g, 'no-such-id'), { headers: reader.headers, method });
      assert.equal(status, 403, `${method} ${path} (${scope})`);
    }
    await parts.mongo.client.connect();
  });

  await t.test('every service has routes, and every write requires a write scope', () => {
    for (const name of serviceNames)
      assert.ok(
        routes.some(({ service: owner }) => owner === name),
        name,
      );
    for (const { method, path, scope, service: owner } of routes) {
      // The scope of a report's email, or of a comment, depends on what it is about (0363, 0384).
      if (path === '/v2/me' || /^\/v2\/(report-emails|comments)/.test(path)) continue;
      assert.ok(scope, `${method} ${path} names its scope`);
      const owned = scope.startsWith('webhooks:') ? 'workflows' : owner;
      assert.ok(
        scope.startsWith('settings:') || scope.startsWith(`${owner}:`) || owned === owner,
        `${method} ${path}: ${scope} is not ${owner}'s`,
      );
      if (method === 'PUT' || method === 'DELETE') assert.doesNotMatch(scope, /:read$/, `${method} ${path}`);
    }
  });

  await t.test('a rejection never reveals whether a resource exists', async () => {
    const reader = keys.find(({ permission, held }) => permission === 'read_only' && held === null);
    const send = (path: string) =>
      rawExchange(
        gateway.url,
        `DELETE ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${reader?.headers.authorization}\r\nconnection: close\r\n\r\n`,
      );
    const body = (text: string) => text.split('\r\n\r\n')[1]?.replace(/req_\w+/, '');
    assert.equal(body(await send('/v2/contacts/contact_01kjn2v0a7e8ws3q4m5x6y7z8a')), body(await send('/v2/contacts/x')));
  });
});
