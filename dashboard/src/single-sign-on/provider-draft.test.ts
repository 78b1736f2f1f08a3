import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, draftOf, newProvider, wrongLine } from './provider-draft.ts';

test('an identity provider as a form', async (t) => {
  await t.test('what is edited and saved unchanged stays the same', () => {
    const settings = {
      ...{
        name: 'Login',
        issuer: 'https://login.example.com',
        client_id: 'x',
        scopes: ['openid', 'email'],
        email_domains: ['a.example', 'b.example'],
      },
      ...{ role_claim: 'groups', default_role: null, just_in_time: false, enabled: true },
      role_mapping: [
        { value: 'cn=admins,dc=example', role: 'admin' as const },
        { value: 'staff', role: 'viewer' as const },
      ],
    };
    const fixed = { id: 'idp_1', redirect_uri: '', sign_in_url: '', created_at: '', updated_at: '' };
    assert.deepEqual(bodyOf(draftOf({ ...settings, ...fixed })), settings);
  });

  await t.test('names the line that maps nothing to a role', () => {
    assert.equal(wrongLine('staff = viewer\n\nadmins = Admin'), undefined);
    assert.equal(wrongLine('staff = viewer\nboss = owner'), 'boss = owner');
    assert.equal(wrongLine('= viewer'), '= viewer');
  });

  await t.test('an empty claim determines no roles', () => {
    const { role_claim, role_mapping, default_role, client_secret } = bodyOf(newProvider);
    assert.deepEqual([role_claim, role_mapping, default_role, client_secret], [null, [], 'viewer', undefined]);
  });
});
