import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewayEnv, missingProxies, publicUrl, securityHeaders, sharedFormsHost } from './env.ts';

test('forms have a host of their own, or none', () => {
  assert.equal(sharedFormsHost({ PUBLIC_URL: 'https://a.example', FORMS_URL: 'https://forms.a.example', PORT: 8080 }), undefined);
  assert.equal(sharedFormsHost({ PUBLIC_URL: 'https://a.example', PORT: 8080 }), undefined);
  assert.match(sharedFormsHost({ PUBLIC_URL: 'https://a.example', FORMS_URL: 'https://A.example', PORT: 8080 }) ?? '', /FORMS_URL/);
  assert.match(sharedFormsHost({ FORMS_URL: 'http://localhost:8080', PORT: 8080 }) ?? '', /FORMS_URL/);
});

test('TRUSTED_PROXIES reports every invalid range', () => {
  assert.deepEqual(gatewayEnv.TRUSTED_PROXIES.parse(' 10.0.0.0/8, ::1 '), ['10.0.0.0/8', '::1']);
  const wrong = gatewayEnv.TRUSTED_PROXIES.safeParse('10.0.0.0/33, proxy.example');
  assert.equal(wrong.error?.issues.length, 2);
});

test('in production an https PUBLIC_URL requires TRUSTED_PROXIES', () => {
  const https = 'https://platform.example';
  assert.match(missingProxies({ NODE_ENV: 'production', PUBLIC_URL: https }) ?? '', /TRUSTED_PROXIES/);
  assert.deepEqual(gatewayEnv.TRUSTED_PROXIES.parse('none'), []);
  for (const fine of [
    { NODE_ENV: 'development', PUBLIC_URL: https },
    { NODE_ENV: 'production', PUBLIC_URL: 'http://localhost:8080' },
    { NODE_ENV: 'production' },
    { NODE_ENV: 'production', PUBLIC_URL: https, TRUSTED_PROXIES: ['10.0.0.0/8'] },
    { NODE_ENV: 'production', PUBLIC_URL: https, TRUSTED_PROXIES: [] },
  ])
    assert.equal(missingProxies(fine), undefined);
});

test('PUBLIC_URL defaults to localhost and has no trailing slash', () => {
  assert.equal(publicUrl({ PORT: 8080 }), 'http://localhost:8080');
  assert.equal(gatewayEnv.PUBLIC_URL.parse('https://platform.example/'), 'https://platform.example');
});

test('HSTS is sent for a year if PUBLIC_URL is https; both headers can be changed, or left to a proxy', () => {
  const [policy, https] = [gatewayEnv.PERMISSIONS_POLICY.parse(undefined), 'https://platform.example'];
  assert.deepEqual(securityHeaders({ PUBLIC_URL: https, PERMISSIONS_POLICY: policy }), {
    ...{ 'strict-transport-security': 'max-age=31536000', 'permissions-policy': policy },
  });
  assert.match(policy, /camera=\(\).*microphone=\(\)/);
  assert.deepEqual(securityHeaders({ PUBLIC_URL: https, HSTS_MAX_AGE: 300, PERMISSIONS_POLICY: 'none' }), {
    'strict-transport-security': 'max-age=300',
  });
  assert.deepEqual(securityHeaders({ PUBLIC_URL: https, HSTS_MAX_AGE: 0, PERMISSIONS_POLICY: 'none' }), {});
  assert.deepEqual(securityHeaders({ PUBLIC_URL: 'http://localhost:8080', HSTS_MAX_AGE: 300, PERMISSIONS_POLICY: 'none' }), {});
});
