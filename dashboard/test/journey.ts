import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import type { Client } from '../../tests/client.ts';
import type { Platform } from '../../tests/platform.ts';
import { openWindow, type Session } from './browser.ts';
import type { Demo } from './demo.ts';

/** What every journey needs. */
export type Journey = { platform: Platform; client: Client; browser: Browser; demo: Demo; open: Awaited<ReturnType<typeof createOpen>> };

/** Opens pages in a separate window, signed in with the session; by default as the owner. */
export async function createOpen(
  t: TestContext,
  platform: Platform,
  browser: Browser,
  session = signIn(browser, platform.command('sign-in-link.ts')),
) {
  const { open } = await openWindow(t, browser, platform.url, await session);

  return async (t: TestContext, path: string) => {
    const opened = await open(t);
    await opened.page.goto(platform.url + path);
    return opened;
  };
}

/** Signs in with a link and returns the session. */
export async function signIn(browser: Browser, link: string | Promise<string>): Promise<Session> {
  const context = await browser.newContext();
  await signInBy(context, await link);
  const session = await context.storageState();
  await context.close();
  return session;
}

/** Signs a context in with a link, without opening a page. */
export async function signInBy({ request }: Pick<BrowserContext, 'request'>, link: string) {
  const { origin, hash } = new URL(link);
  const token = new URLSearchParams(hash.slice(1)).get('token');
  const response = await request.post(`${origin}/auth/sign-in`, { data: { token } });
  assert.equal(response.status(), 200, await response.text());
  return response.json();
}
