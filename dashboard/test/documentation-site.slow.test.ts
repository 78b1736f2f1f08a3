import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildDocumentation } from '@mp/local-infra/built-pages';
import { sections } from '../../docs/.vitepress/sections.ts';
import { startPlatform } from '../../tests/platform.ts';
import { violations } from './accessibility.ts';
import { openBrowser, openPage, withoutBrowser } from './browser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the documentation site, in a browser', { skip: withoutBrowser }, async (t) => {
  const logs = `${root}.data/test/logs`;
  mkdirSync(logs, { recursive: true });
  await buildDocumentation(root, logs, (line) => t.diagnostic(line));
  assert.ok(existsSync(`${root}docs/.vitepress/dist/index.html`), `the site was not built; see ${logs}/documentation.log`);
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'] }), openBrowser(t)]);

  await t.test('loads nothing from elsewhere and breaks no policy, in light and dark, without an accessibility finding', async (t) => {
    const { page } = await openPage(t, browser, platform.url);
    const found: Record<string, object> = {};
    const menu = sections.flatMap(({ items }) => items.map(({ link }) => `/docs${link}`));
    for (const [colorScheme, paths] of [
      ['light', ['/docs/', ...menu]],
      ['dark', ['/docs/', '/docs/guides/quickstart', '/docs/concepts/ledger']],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      for (const path of paths) {
        const response = await page.goto(platform.url + path, { waitUntil: 'load' });
        assert.equal(response?.status(), 200, path);
        assert.equal(await page.locator('html.dark').count(), colorScheme === 'dark' ? 1 : 0);
        // The menu around every page is checked with those that are looked at in both schemes.
        const within = colorScheme === 'light' && path !== '/docs/' ? 'main' : 'html';
        const serious = await violations(page, { within });
        if (Object.keys(serious).length > 0) found[`${path} ${colorScheme}`] = serious;
      }
    }
    assert.deepEqual(found, {});
  });

  await t.test('shows the tab of a language, and finds a page by a word', async (t) => {
    const { page } = await openPage(t, browser, platform.url);
    await page.goto(`${platform.url}/docs/guides/quickstart`);
    const group = page.locator('.vp-code-group').first();
    await group.getByText('Python', { exact: true }).click();
    await group.getByText('from marketing_platform import MarketingPlatform').waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('double opt-in');
    await page.getByRole('option').first().click();
    await page.waitForURL(/\/docs\/.*/);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  await t.test('leads to the API reference', async (t) => {
    const { page } = await openPage(t, browser, platform.url);
    await page.goto(`${platform.url}/docs/`);
    const href = await page.getByRole('link', { name: 'API reference' }).first().getAttribute('href');
    assert.equal(new URL(href ?? '', page.url()).pathname, '/reference/');
  });
});
