import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityOf } from './identity.ts';

test('an email address is verified only by what states it: the ID token or the userinfo endpoint', () => {
  const verified = (token: object, userinfo: object) =>
    identityOf({ sub: 'ada', ...token }, { sub: 'ada', ...userinfo }, { role_claim: null }).verifiedEmail;
  const [one, other] = ['ada@acme.example', 'owner@acme.example'];
  assert.equal(verified({ email: other }, { email: one, email_verified: true }), one);
  assert.equal(verified({ email_verified: true }, { email: other }), undefined);
  assert.equal(verified({ email: one, email_verified: false }, { email: one, email_verified: true }), undefined);
  assert.equal(verified({ email: one, email_verified: true }, { email: other, email_verified: true }), one);
  assert.equal(verified({}, { email: one, email_verified: true }), one);
  assert.equal(verified({ email: one, email_verified: true }, {}), one);
  assert.equal(verified({ email: one, email_verified: 'true' }, {}), undefined);
});
