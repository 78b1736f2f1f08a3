import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuiltInRole, heldBuiltIn } from '../src/settings/roles/role.ts';
import { invitedUser } from '../src/settings/users/user.ts';
import { startTestGateway } from './start-test-gateway.ts';

const passkey = {
  ...{ id: 'x', rawId: 'x', type: 'public-key' },
  response: { clientDataJSON: 'x', attestationObject: 'x', authenticatorData: 'x', signature: 'x' },
};
const request = Buffer.from('client_id=x').toString('base64url');

/** What any signed-in user may call, about their own sign-in only, each with a body that reaches the handler. */
const ofUsers: Record<string, object> = {
  'GET /auth/session': {},
  'POST /auth/session': {},
  'GET /auth/sessions': {},
  'POST /auth/sessions/revoke': { id: 'x' },
  'POST /auth/password': { new_password: 'x'.repeat(20) },
  'GET /auth/second-factors': {},
  'POST /auth/second-factors/totp': { name: 'Phone' },
  'POST /auth/second-factors/totp/confirm': { id: 'x', code: '123456' },
  'POST /auth/second-factors/passkeys/options': {},
  'POST /auth/second-factors/passkeys': { name: 'Key', passkey },
  'POST /auth/second-factors/rename': { id: 'x', name: 'Phone' },
  'POST /auth/second-factors/remove': { id: 'x' },
  'POST /auth/second-factors/recovery-codes': {},
  'POST /auth/step-up/options': {},
  'POST /auth/step-up': { code: '123456' },
  'GET /auth/grants': {},
  'POST /auth/grants/revoke': { id: 'x' },
  [`GET /auth/authorization?request=${request}`]: {},
  'POST /auth/authorization': { request, allow: true, scopes: [] },
};

/** What begins a sign-in is limited by address, whoever it is. */
const limited = 429;

/** What takes no session: a secret in the request decides, or nothing is secret. */
const ofAnybody: Record<string, object> = {
  'POST /auth/passkey/options': {},
  'POST /auth/sign-in': { token: 'x' },
  'POST /auth/email': { token: 'x' },
  'POST /auth/forgotten-password': { email: 'nobody@example.com' },
  'GET /auth/account-choice': {},
  'POST /auth/account-choice': { account_id: 'x' },
  'GET /auth/second-factor': {},
  'POST /auth/second-factor/options': {},
  'POST /auth/second-factor': { code: '123456' },
  'POST /auth/passkey': { passkey },
  'GET /auth/single-sign-on': {},
  'POST /auth/single-sign-on': { email: 'nobody@example.com' },
  'GET /auth/single-sign-on/:id/callback': {},
  'POST /auth/report-emails/stop': { token: 'x' },
  'GET /oauth/authorize': {},
  'POST /oauth/token': {},
  'POST /oauth/revoke': {},
};

test('sign-in and OAuth: what is about a user takes a session of that user, whatever the role, and never a key', async (t) => {
  const gateway = await startTestGateway(t);
  const account = await gateway.makeAccount();
  const sessions: Record<string, Record<string, string>> = {};
  for (const role of BuiltInRole.options) {
    const user = invitedUser(account.id, { email: `${role}@example.com`, ...heldBuiltIn(role) });
    await gateway.parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => gateway.stores.users.insert(tx, user));
    sessions[role] = await gateway.signIn(account, user);
  }
  const { authorization } = await gateway.makeKey({ account });
  const send = (route: string, body: object, headers: Record<string, string>) => {
    const [method = '', path = ''] = route.split(' ');
    return gateway.send(method, path.replace(':id', 'x'), body, { headers });
  };
  const statusesOf = (route: string, body: object) =>
    Promise.all(Object.entries(sessions).map(async ([role, headers]) => [role, (await send(route, body, headers)).status] as const));

  await t.test('every route is one of the two kinds', () => {
    const listed = [...Object.keys(ofUsers), ...Object.keys(ofAnybody), 'POST /auth/sign-out'].map((route) => route.split('?', 1)[0]);
    assert.deepEqual(listed.toSorted(), routesOf(gateway.gateway.app.printRoutes({ commonPrefix: false })).toSorted());
  });

  for (const [route, body] of Object.entries(ofUsers))
    await t.test(route, async () => {
      for (const headers of [{}, { authorization }]) assert.equal((await send(route, body, headers)).status, 401);
      for (const [role, headers] of Object.entries(sessions)) {
        const { 'x-csrf-token': _, ...forged } = headers;
        if (route.startsWith('POST')) assert.equal((await send(route, body, forged)).status, 403, `${role} from another page`);
      }
      const statuses = await statusesOf(route, body);
      for (const [role, status] of statuses) assert.ok(![401, 403, limited, 500].includes(status), `${role}: ${status}`);
      assert.equal(new Set(statuses.map(([, status]) => status)).size, 1, 'the role makes no difference');
    });

  for (const [route, body] of Object.entries(ofAnybody))
    await t.test(`${route}, without a session`, async () => {
      const { status } = await send(route, body, {});
      assert.ok(status < 500 && status !== limited, String(status));
      for (const [role, own] of [...(await statusesOf(route, body)), ['key', (await send(route, body, { authorization })).status] as const])
        assert.ok(own === status || own === limited, `a credential makes no difference: ${role} gets ${own}, not ${status}`);
    });

  await t.test('POST /auth/sign-out ends the session of any caller that has one', async () => {
    for (const headers of Object.values(sessions)) {
      assert.equal((await send('POST /auth/sign-out', {}, headers)).status, 200);
      assert.equal((await send('GET /auth/session', {}, headers)).status, 401);
    }
  });
});

/** The routes in Fastify's printed route tree whose paths begin with /auth/ or /oauth/. */
function routesOf(tree: string): string[] {
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+)(?: \(([^)]+)\))?/.exec(line) ?? [];
    parts.splice(indent.length / 4, parts.length, part);
    const path = parts.join('');
    const isOurs = /^\/o?auth\//.test(path);
    return isOurs ? methods.split(', ').flatMap((method) => (method === 'HEAD' || method === '' ? [] : `${method} ${path}`)) : [];
  });
}
