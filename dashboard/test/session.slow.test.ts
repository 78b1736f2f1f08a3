import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { openBrowser, openPage, openWindow, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { signInBy } from './journey.ts';

/** Signing in, sessions and signing out, in a real browser against the real gateway. */
test('sessions', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'] }), openBrowser(t), builtDashboard()]);
  const link = () => platform.command('sign-in-link.ts');
  const [first, second, third] = await Promise.all([link(), link(), link()]);
  const credentials = { email: 'owner@example.com', password: 'a long and unlikely sentence' };

  const window = await openWindow(t, browser, platform.url);
  const signedOut = async (t: TestContext) => {
    await window.context.clearCookies();
    return window.open(t);
  };

  /** Opens the overview with a new session. */
  async function signedIn(t: TestContext) {
    const opened = await signedOut(t);
    assert.equal((await opened.context.request.post(`${platform.url}/auth/sign-in`, { data: credentials })).status(), 200);
    await opened.page.goto(platform.url);
    await opened.page.getByRole('button', { name: /^Account: Owner/ }).waitFor();
    return opened;
  }

  await t.test('signs in once with a link, and keeps its token out of the URL and the history', async (t) => {
    const { page, context } = await signedOut(t);
    await page.goto(first);
    await page.getByRole('button', { name: /^Account: Owner/ }).waitFor();
    assert.equal(page.url(), `${platform.url}/`);
    await page.goBack();
    assert.equal(page.url().includes('token'), false);

    await context.clearCookies();
    await page.goto('about:blank');
    await page.goto(first);
    await page.getByRole('alert').getByText('This sign-in link is not valid').waitFor();
    await page.getByText('Sign in with a one-time link', { exact: false }).waitFor();
    assert.equal(page.url(), `${platform.url}/sign-in`);

    await page.goto(second);
    await page.getByRole('button', { name: /^Account: Owner/ }).waitFor();
  });

  const { request } = window.context;
  const { data } = await signInBy(window.context, third);
  const headers = { 'x-csrf-token': data.csrf_token };
  const set = { email: credentials.email, new_password: credentials.password };
  assert.equal((await request.post(`${platform.url}/auth/password`, { headers, data: set })).status(), 200);

  await t.test('a user with several accounts chooses one, by keyboard, and the page of the link opens there', async (t) => {
    const { page, context } = await signedOut(t);
    const twin = { email: 'twin@example.com', password: credentials.password };
    for (const name of ['Shop', 'A studio with a name that is as long as names in the real world sometimes are, or longer']) {
      await platform.command('account.ts', 'create', '--name', name, '--plan', 'starter');
      const opened = await signInBy(context, await platform.command('sign-in-link.ts', '--account', name));
      const sent = { email: twin.email, new_password: twin.password };
      const own = { 'x-csrf-token': opened.data.csrf_token };
      assert.equal((await context.request.post(`${platform.url}/auth/password`, { headers: own, data: sent })).status(), 200);
    }
    await context.clearCookies();
    await page.goto(`${platform.url}/settings/usage`);
    await page.getByRole('textbox', { name: 'Email' }).fill(twin.email);
    await page.getByLabel('Password', { exact: true }).fill(twin.password);
    await page.getByLabel('Password', { exact: true }).press('Enter');
    const choice = page.getByRole('group', { name: 'You are a user of several accounts. Choose one.' });
    await choice.getByRole('button', { name: 'Shop Owner' }).waitFor();
    assert.deepEqual(
      (await context.cookies()).map(({ name }) => name),
      ['mp_second_factor'],
    );
    const found: Found = {};
    await lookAt(page, 'choice', found);
    assert.deepEqual(found, {}, 'it is accessible');

    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByLabel('Email').fill(twin.email);
    await page.getByLabel('Password', { exact: true }).fill(twin.password);
    await page.getByLabel('Password', { exact: true }).press('Enter');
    await choice.getByRole('button', { name: /^A studio/ }).waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('A studio'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Requests today').waitFor();
    await page.getByRole('button', { name: /^Account: Owner/ }).waitFor();
    await page.getByText('Shop').first().waitFor();
  });

  await t.test('redirects a signed-out user from any page to the sign-in page', async (t) => {
    const { page } = await signedOut(t);
    for (const path of ['/', '/settings/api-keys', '/settings/usage', '/nowhere']) {
      await page.goto(platform.url + path);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/sign-in');
    }
  });

  await t.test('loads the other pages in advance once signed in, and none of them on the sign-in page', async (t) => {
    const { page, context } = await openPage(t, browser, platform.url);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const pages = () => requests.filter((url) => /(?<!\/sign-in)-page-[\w-]+\.js$/.test(url));
    await page.clock.install();
    await page.goto(`${platform.url}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.clock.fastForward(60_000);
    // A request after any that the timers have sent.
    await page.evaluate(() => fetch('/auth/session'));
    assert.deepEqual(pages(), []);

    await context.request.post(`${platform.url}/auth/sign-in`, { data: credentials });
    await page.goto(platform.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.clock.fastForward(60_000);
    await eventually(async () => pages().length > 30);
  });

  await t.test('opens the page of a link after signing in, and returns to the page on which the session ended', async (t) => {
    const { page, context } = await signedOut(t);
    const signInWithPassword = async () => {
      await page.getByRole('textbox', { name: 'Email' }).fill(credentials.email);
      await page.getByLabel('Password', { exact: true }).fill(credentials.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.goto(`${platform.url}/settings/usage?from=link`);
    await signInWithPassword();
    await page.getByText('Requests today').waitFor();
    assert.match(page.url(), /\/settings\/usage/);

    await context.clearCookies();
    await page.reload();
    await signInWithPassword();
    await page.getByText('Requests today').waitFor();
  });

  await t.test('ends the session in every tab when the user signs out', async (t) => {
    const { page, context } = await signedIn(t);
    const other = await context.newPage();
    await other.goto(platform.url);
    await other.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByText('Your session has ended').waitFor();
    await other.close();
    assert.deepEqual(await context.cookies(), []);
    await page.goto(`${platform.url}/settings/api-keys`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  await t.test('asks to sign in again after the session ended elsewhere', async (t) => {
    const { page, context } = await signedIn(t);
    await context.clearCookies();
    // The page may notice it earlier, when it refetches automatically.
    const ended = page.getByText('Your session has ended');
    await page.getByRole('link', { name: 'Plan and usage' }).or(ended).first().click();
    await ended.waitFor();
    assert.equal(await page.getByText('Requests today').count(), 0);
  });

  await t.test('shows a lost connection, and recovers when the gateway is back', async (t) => {
    const { page } = await signedIn(t);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    await platform.stop('gateway', 'SIGKILL');
    await page.getByRole('link', { name: 'Plan and usage' }).click();
    await page.getByRole('status').getByText("Can't reach the platform").waitFor();
    await platform.start('gateway');
    await page.getByText('Requests today').waitFor();
    await page.getByRole('status').getByText("Can't reach the platform").waitFor({ state: 'detached' });
    // Failed queries are refetched one after another.
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  await t.test('shows a loading state for a slow response, first of the session, then of the page', async (t) => {
    const { page } = await signedIn(t);
    const responses = ['**/auth/session', '**/v2/settings/usage'].map((path) => ({ path, ...gate() }));
    for (const { path, opened } of responses) {
      await page.route(path, async (route) => {
        await opened;
        await route.continue();
      });
    }
    await page.goto(`${platform.url}/settings/usage`);
    await page.getByLabel('Loading', { exact: true }).waitFor();
    responses[0]?.open();
    await page
      .getByRole('status', { name: /^Loading/ })
      .first()
      .waitFor();
    const outline = page.getByRole('status', { name: 'Loading the usage', exact: true });
    await outline.waitFor();
    assert.equal(await outline.locator('.mantine-Skeleton-root').count(), 4, 'two metrics, each with its label');
    assert.equal(await page.getByText('Requests today').count(), 0);
    responses[1]?.open();
    await page.getByText('Requests today').waitFor();
    await page
      .getByRole('status', { name: /^Loading/ })
      .first()
      .waitFor({ state: 'detached' });
  });

  await t.test('remembers the chosen appearance', async (t) => {
    const { page } = await signedIn(t);
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
    assert.equal(await scheme(), 'light');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    assert.equal(await scheme(), 'dark');
    await page.reload();
    await page.getByRole('button', { name: /^Account: Owner/ }).waitFor();
    assert.equal(await scheme(), 'dark');
  });
});

/** Holds responses back until it is opened. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
