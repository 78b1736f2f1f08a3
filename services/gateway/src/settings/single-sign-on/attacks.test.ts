import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSingleSignOn } from '../../../test/start-single-sign-on.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

const expired = '/sign-in?failed=expired';
const refused = '/sign-in?failed=refused';
const notAllowed = '/sign-in?failed=not_allowed';

test('attacks on single sign-on', async (t) => {
  const { gateway, clock, createCompany, openBrowser, makeUser, startIdentityProvider } = await startSingleSignOn(t);
  const idp = await startIdentityProvider();
  const company = await createCompany();
  const { account, settings, userOf } = company;
  const provider = await company.addProvider(idp, { just_in_time: true });
  await company.prove('acme.example');
  const person = (subject: string, domain = 'acme.example', email_verified = true) =>
    idp.people.set(subject, { email: `${subject}@${domain}`, email_verified });
  for (const name of ['ada', 'mallory']) person(name);
  const isSignedIn = async (browser: ReturnType<typeof openBrowser>) => (await browser.session()).status === 200;

  await t.test('a response works once, and a replayed code signs nobody in', async () => {
    const browser = openBrowser();
    const returned = await idp.signIn(await browser.start(provider), 'ada');
    assert.equal(await browser.finish(returned), '/');
    assert.equal(await browser.finish(returned), expired, 'the state is used up');
    const again = new URL(await browser.start(provider));
    returned.searchParams.set('state', again.searchParams.get('state') ?? '');
    assert.equal(await browser.finish(returned), refused, 'and so is the code');
  });

  await t.test('a code of one sign-in cannot be injected into another one', async () => {
    const stolen = await idp.signIn(await openBrowser().start(provider), 'ada');
    const attacker = openBrowser();
    stolen.searchParams.set('state', new URL(await attacker.start(provider)).searchParams.get('state') ?? '');
    assert.equal(await attacker.finish(stolen), refused, 'it belongs to another code verifier and nonce');
    assert.equal(await isSignedIn(attacker), false);
  });

  await t.test('a response counts only in the browser that began, and the owner of a stolen state can still continue', async () => {
    const victim = openBrowser();
    const returned = await idp.signIn(await victim.start(provider), 'ada');
    const attacker = openBrowser();
    assert.equal(await attacker.finish(returned), expired, 'without a cookie');
    await attacker.start(provider);
    assert.equal(await attacker.finish(returned), expired, 'with another cookie');
    assert.equal(await isSignedIn(attacker), false);
    assert.equal(await victim.finish(returned), '/');
  });

  await t.test('a sign-in that takes longer than ten minutes has to begin again', async () => {
    const browser = openBrowser();
    const returned = await idp.signIn(await browser.start(provider), 'ada');
    clock.ahead = 601_000;
    assert.equal(await browser.finish(returned), expired);
    clock.ahead = 0;
  });

  await t.test('the response of one provider does not count for another one', async () => {
    const evil = await startIdentityProvider();
    evil.people.set('ada', { email: 'ada@acme.example', email_verified: true });
    const other = await company.addProvider(evil, { name: 'Other', just_in_time: true });
    const pathOf = (url: string) => new URL(url).pathname;
    const at = (url: URL, target: string) => Object.assign(new URL(url), { pathname: pathOf(target) });

    const browser = openBrowser();
    const fromEvil = await evil.signIn(await browser.start(other), 'ada');
    assert.equal(await browser.finish(at(fromEvil, provider.redirect_uri)), expired, "B's state at A's redirect URI");
    const state = new URL(await browser.start(provider)).searchParams.get('state') ?? '';
    fromEvil.searchParams.set('state', state);
    assert.equal(await browser.finish(at(fromEvil, provider.redirect_uri)), refused, "B's response with A's state: iss differs");

    const honest = await idp.signIn(await browser.start(provider), 'ada');
    honest.searchParams.delete('iss');
    assert.equal(await browser.finish(honest), refused, 'the provider announces iss, so it cannot be left out');
    assert.equal(await isSignedIn(browser), false);
  });

  await t.test('an ID token with another nonce is refused', async () => {
    const browser = openBrowser();
    const url = new URL(await browser.start(provider));
    url.searchParams.set('nonce', 'of another sign-in');
    assert.equal(await browser.finish(await idp.signIn(url.href, 'ada')), refused);
  });

  await t.test('an unverified address, and one of another domain, neither finds nor makes a user', async () => {
    await makeUser(account, 'bob@acme.example', 'admin');
    await makeUser(account, 'carl@other.example', 'admin');
    person('bob', 'acme.example', false);
    assert.equal(await openBrowser().signIn(idp, provider, 'bob'), '/sign-in?failed=unverified_email');
    for (const [subject, domain] of [
      ['carl', 'other.example'],
      ['dora', 'other.example'],
      ['eve', 'sub.acme.example'],
      ['fred', 'acme.example.evil.example'],
    ] as const) {
      person(subject, domain);
      assert.equal(await openBrowser().signIn(idp, provider, subject), notAllowed, domain);
    }
    idp.people.set('none', {});
    assert.equal(await openBrowser().signIn(idp, provider, 'none'), '/sign-in?failed=unverified_email');
    assert.equal(await userOf('dora@other.example'), undefined);
  });

  await t.test('a domain that only another account has proven counts for nothing', async () => {
    const stranger = await createCompany();
    const theirs = await stranger.addProvider(idp, { just_in_time: true });
    assert.equal(await openBrowser().signIn(idp, theirs, 'ada'), notAllowed);
    const { data } = await stranger.settings('POST', '/domains', { domain: 'acme.example' });
    assert.equal((await stranger.settings('POST', `/domains/${data.id}/verify`)).data.status, 'pending', 'each account has its own record');
    assert.equal(await openBrowser().signIn(idp, theirs, 'ada'), notAllowed);
  });

  await t.test('a provider signs in only the domains that it is limited to, even users who are linked', async () => {
    await settings('PUT', `/identity-providers/${provider.id}`, { email_domains: ['Only.Example'] });
    assert.equal(await openBrowser().signIn(idp, provider, 'ada'), notAllowed);
    assert.equal(
      (await openBrowser().visit('/auth/single-sign-on', { email: 'ada@acme.example' })).data.providers.length,
      1,
      'the other one',
    );
    await settings('PUT', `/identity-providers/${provider.id}`, { email_domains: [] });
    assert.equal(await openBrowser().signIn(idp, provider, 'ada'), '/');
  });

  await t.test('a disabled or deleted provider signs nobody in, even if the sign-in had begun', async () => {
    const browser = openBrowser();
    const returned = await idp.signIn(await browser.start(provider), 'ada');
    await settings('PUT', `/identity-providers/${provider.id}`, { enabled: false });
    assert.equal(await browser.finish(returned), '/sign-in?failed=unavailable');
    assert.equal(await browser.start(provider), '404');
    await settings('PUT', `/identity-providers/${provider.id}`, { enabled: true });
    assert.equal(await openBrowser().start({ id: 'idp_01h455vb4pex5vsknk084sn02q' }), '404');
  });

  await t.test('a second provider that claims the same address does not get the user', async () => {
    const evil = await startIdentityProvider();
    const second = await company.addProvider(evil, { name: 'Second', just_in_time: true });
    evil.people.set('ada', { email: 'ada@acme.example', email_verified: true });
    const browser = openBrowser();
    assert.equal(await browser.signIn(evil, second, 'ada'), notAllowed);
    assert.equal(await isSignedIn(browser), false);
    evil.people.set('someone', { email: 'ADA@acme.example', email_verified: true });
    assert.equal(await openBrowser().signIn(evil, second, 'someone'), notAllowed);
  });

  await t.test('an invitation of another account, and one that was used, links nobody', async () => {
    const stranger = await createCompany();
    const { token } = await makeUser(stranger.account, 'x@stranger.example');
    person('nemo', 'nowhere.example');
    const browser = openBrowser();
    const started = await browser.visit('/auth/single-sign-on', { token, provider_id: provider.id });
    assert.equal(await browser.finish(await idp.signIn(started.data.url, 'nemo')), notAllowed);
    const used = await makeUser(account, 'hal@elsewhere.example');
    const begun = await browser.visit('/auth/single-sign-on', { token: used.token, provider_id: provider.id });
    assert.equal((await gateway.send('POST', '/auth/sign-in', { token: used.token })).status, 200);
    assert.equal(await browser.finish(await idp.signIn(begun.data.url, 'nemo')), notAllowed);
  });

  await t.test('the page that opens then is always ours', async () => {
    for (const to of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/auth/sign-out',
    ])
      assert.equal(await openBrowser().signIn(idp, provider, 'ada', to), '/', to);
    assert.equal(await openBrowser().signIn(idp, provider, 'ada', '/contacts?tag=vip'), '/contacts?tag=vip');
  });

  await t.test('a sign-in makes a new session, whatever cookies the browser had', async () => {
    const browser = openBrowser();
    await browser.signIn(idp, provider, 'mallory');
    const fixed = browser.jar.get('mp_session') ?? '';
    const victim = openBrowser();
    victim.jar.set('mp_session', fixed);
    victim.jar.set('mp_single_sign_on', 'chosen by the attacker');
    await victim.signIn(idp, provider, 'ada');
    assert.notEqual(victim.jar.get('mp_session'), fixed);
    assert.equal((await victim.session()).data.user.email, 'ada@acme.example');
    assert.equal((await browser.session()).data.user.email, 'mallory@acme.example');
  });

  await t.test('only our own pages begin a sign-in, so that no link signs a person in to the account of an attacker', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const response = await gateway.send('POST', '/auth/single-sign-on', { provider_id: provider.id }, { headers });
    assert.equal(response.status, 403);
    assert.equal((await gateway.call(`/auth/single-sign-on/${provider.id}`)).status, 404);
    assert.equal(new URL(provider.sign_in_url).pathname, '/sign-in');
  });

  await t.test('nothing secret is stored in plain text', async () => {
    const stored = await gateway.everythingStored();
    assert.ok(!stored.includes(idp.client.client_secret));
  });
});

test('cookies of single sign-on on a public address come from this host over TLS only', async (t) => {
  const { createCompany, startIdentityProvider } = await startSingleSignOn(t);
  const idp = await startIdentityProvider();
  const { addProvider } = await createCompany();
  await addProvider(idp);
  const secure = await startTestGateway(t, {
    publicUrl: 'https://app.example.com',
    providerNetwork: { allowPrivate: true, allowHttp: true },
  });
  const account = await secure.makeAccount();
  const key = await secure.makeKey({ account });
  const body = { name: 'Login', issuer: idp.issuer, ...idp.client };
  const { data } = await secure.send('POST', '/v2/settings/identity-providers', body, { key });
  const { headers } = await secure.send('POST', '/auth/single-sign-on', { provider_id: data.id });
  assert.match(headers.get('set-cookie') ?? '', /^__Host-mp_single_sign_on=[\w-]{43}; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/);
});
