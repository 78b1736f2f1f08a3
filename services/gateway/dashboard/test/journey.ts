import type { TestContext } from 'node:test';
import type { Browser, Cookie } from 'playwright-core';
import type { Client, Platform } from '../../../../tests/platform.ts';
import { openPage } from './browser.ts';
import type { Demo } from './demo.ts';

/** What every journey through the filled dashboard starts from. */
export type Journey = { platform: Platform; client: Client; browser: Browser; demo: Demo; open: Awaited<ReturnType<typeof createOpen>> };

/** Opens pages as the owner: signed in once, by a link, and with that session from then on. */
export async function createOpen(t: TestContext, platform: Platform, browser: Browser) {
  const { page, context } = await openPage(t, browser, platform.url);
  await page.goto(await platform.command('sign-in-link.ts'));
  await page.getByRole('button', { name: /^Account: Owner/ }).waitFor();
  const cookies: Cookie[] = await context.cookies();

  return async (t: TestContext, path: string) => {
    const opened = await openPage(t, browser, platform.url, cookies);
    await opened.page.goto(platform.url + path);
    return opened;
  };
}
