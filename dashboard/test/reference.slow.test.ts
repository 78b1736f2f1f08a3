import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startTestGateway } from '../../services/gateway/test/start-test-gateway.ts';
import { appearances, violations } from './accessibility.ts';
import { endsHangingActionMs, openBrowser, withoutBrowser } from './browser.ts';

test('the API reference shows every operation without requests to other origins', { skip: withoutBrowser }, async (t) => {
  const { url } = await startTestGateway(t);
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) faults.push(`left the origin: ${request.url()}`);
  });
  // Violations of the Content-Security-Policy are logged on the console.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${url}/reference`);
  await page.getByText('Create a contact').first().waitFor();
  await page.getByText('Workflows').first().waitFor();
  assert.deepEqual(faults, []);
});

test('the reference, its errors and its rules are accessible and fit the screen, light and dark, on a desktop and on a phone', {
  skip: withoutBrowser,
}, async (t) => {
  const { url } = await startTestGateway(t);
  const browser = await openBrowser(t);
  for (const { viewport, colorScheme } of appearances) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    context.setDefaultTimeout(endsHangingActionMs);
    const page = await context.newPage();
    for (const [path, content] of [
      ['/reference#tag/contacts/POST/v2/contacts', '.scalar-code-copy'],
      ['/reference/errors', '#VALIDATION_ERROR'],
      ['/reference/rules', 'pre'],
    ] as const) {
      await page.goto(`${url}${path}`);
      await page.locator(content).first().waitFor();
      await stopsGrowing(page);
      const name = `${path} ${colorScheme} ${viewport.width}`;
      assert.deepEqual(await violations(page), {}, name);
      assert.ok(await page.evaluate((width) => document.documentElement.scrollWidth <= width, viewport.width), name);
    }
    await context.close();
  }
});

/** Waits until a second has passed without a new element: the reference renders its operations one after another. */
const stopsGrowing = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let quiet = setTimeout(resolve, 1_000);
        new MutationObserver(() => {
          clearTimeout(quiet);
          quiet = setTimeout(resolve, 1_000);
        }).observe(document.body, { childList: true, subtree: true });
      }),
  );
