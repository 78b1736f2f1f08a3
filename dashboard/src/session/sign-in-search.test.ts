import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInSearch } from './sign-in-search.ts';

test('the page to open after signing in is one of the dashboard, never another site', () => {
  for (const to of ['/contacts?q=ada', '/campaigns/campaign_1#report']) assert.deepEqual(signInSearch({ to }), { to });
  for (const to of [
    '//example.com',
    '/\\example.com',
    '/\t/example.com',
    '/\n/example.com',
    'https://example.com',
    'javascript:alert(1)',
    5,
    undefined,
  ])
    assert.deepEqual(signInSearch({ to }), {});
});

test('the page knows what is due after an identity provider, and nothing else', () => {
  assert.deepEqual(signInSearch({ choose: true, to: '/segments', account: 'x' }), { choose: true, to: '/segments' });
  assert.deepEqual(signInSearch({ confirm: true }), { confirm: true });
});

test('the page shows why a sign-in with an identity provider failed, in known words only', () => {
  assert.deepEqual(signInSearch({ failed: 'expired' }), { failed: 'expired' });
  assert.deepEqual(signInSearch({ failed: '<b>send us your password</b>', provider: '../evil' }), {});
  const provider = 'idp_01h455vb4pex5vsknk084sn02q';
  assert.deepEqual(signInSearch({ provider }), { provider });
  assert.deepEqual(signInSearch({ provider: 'acme' }), { provider: 'acme' }, 'one of the whole installation');
});
