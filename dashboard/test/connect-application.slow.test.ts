import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import * as oauth from 'oauth4webapi';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { endsHangingActionMs, openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';

/** A program that users connect to their account, on an address of this machine, as desktop programs do. */
async function startProgram(t: TestContext) {
  const received: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') received.push(url);
    response.setHeader('content-type', 'text/html').end('<title>Program</title><p>You can close this window.</p>');
  }).listen(0, '127.0.0.1');
  t.after(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return { redirectUri: `http://127.0.0.1:${address.port}/callback`, received };
}

test('a user connects a program to the account in the browser', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([
    startPlatform(t, { services: ['gateway', 'contacts'] }),
    openBrowser(t),
    builtDashboard(),
  ]);
  const admin = await platform.client('--permission', 'admin');
  const program = await startProgram(t);
  const found: Found = {};

  const issuer = new URL(platform.url);
  const insecure = { [oauth.allowInsecureRequests]: true };
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const made = await admin.post('/v2/settings/oauth-clients', {
    ...{ name: 'Desk', permission: 'read_write', scopes: ['contacts:read', 'contacts:write', 'campaigns:send'] },
    ...{ redirect_uris: ['http://127.0.0.1/callback'], confidential: false },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const client: oauth.Client = { client_id: made.data.id };

  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  t.after(() => context.close());
  context.setDefaultTimeout(endsHangingActionMs);
  const page = await context.newPage();

  /** Opens the page to which the program sends the browser. A state that is a number must come back as it was. */
  async function begin(scope: string, state = '12345678901234567890') {
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint ?? '');
    const parameters = { client_id: client.client_id, redirect_uri: program.redirectUri, response_type: 'code', scope, state };
    const challenge = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
    url.search = new URLSearchParams({ ...parameters, ...challenge }).toString();
    await page.goto(url.href);
    return { verifier, state };
  }

  let connected: oauth.TokenEndpointResponse | undefined;
  const read = () => fetch(`${platform.url}/v2/contacts`, { headers: { authorization: `Bearer ${connected?.access_token}` } });

  await t.test('signs in on the way, sees what it may do, and connects it', async () => {
    const { verifier, state } = await begin('contacts:read contacts:write');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const { hash } = new URL(await platform.command('sign-in-link.ts'));
    // The link replaces the form on the page that the program opened.
    await page.evaluate((fragment) => window.location.assign(fragment), hash);
    await page.getByRole('heading', { name: /^Connect Desk to / }).waitFor();
    await page.getByText('See contacts, their timeline, consent, imports and forms.').waitFor();
    await page.getByText('Access goes to a program on this device').waitFor();
    await lookAt(page, 'consent', found);
    // By keyboard.
    await page.getByRole('button', { name: 'Connect', exact: true }).press('Enter');
    await page.getByText('You can close this window.').waitFor();
    const callback = program.received.at(-1);
    assert.ok(callback);
    const reply = oauth.validateAuthResponse(server, client, callback, state);
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), reply, program.redirectUri, verifier] as const),
      insecure,
    );
    connected = await oauth.processAuthorizationCodeResponse(server, client, response);
    assert.equal((await read()).status, 200);
  });

  await t.test('declines, and the program is told', async () => {
    const { state } = await begin('contacts:read');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You can close this window.').waitFor();
    const callback = program.received.at(-1);
    assert.deepEqual([callback?.searchParams.get('error'), callback?.searchParams.get('state')], ['access_denied', state]);
  });

  await t.test('is told why a program that asks for too much cannot be connected', async () => {
    await begin('settings:write');
    await page.getByText('Scopes that this application may request: contacts:read, contacts:write, campaigns:send.').waitFor();
    await lookAt(page, 'refused', found);
  });

  await t.test('disconnects it under Your account', async () => {
    await page.goto(`${platform.url}/you`);
    await page.getByText('Read contacts, Change contacts.').waitFor();
    await page.getByRole('button', { name: 'Disconnect Desk' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect Desk?' });
    await dialog.getByText('What it has created belongs to your account and stays.').waitFor();
    await lookAt(page, 'disconnect', found);
    await dialog.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText('No applications yet.').waitFor();
    await eventually(async () => ((await read()).status === 401 ? true : undefined));
  });

  assert.deepEqual(found, {}, 'every page is accessible');
});
