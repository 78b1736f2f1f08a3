import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { pathOf } from '@mp/local-infra/test-tools';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const executablePath = pathOf('chromium');

/** Why browser tests are skipped; false if they can run. */
export const withoutBrowser = executablePath
  ? false
  : 'no Chromium was found on this machine: install it (apt-get install chromium) or set CHROMIUM_PATH';

/** Only ends an action that hangs: what takes a second can take a minute on a busy machine. */
export const endsHangingActionMs = 5 * 60_000;

/** Opens a browser and closes it at the end of the test. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
  t.after(() => browser.close());
  return browser;
}

/** A signed-in session: the cookies of a browser context. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/**
 * A separate browser context, shared by tests that run one after another, so that later ones use what is cached. A test
 * fails at its end if its page had an uncaught error, an error on the console (such as a violation of the
 * Content-Security-Policy), a dialog, or a request to another origin.
 */
export async function openWindow(t: TestContext, browser: Browser, origin: string, session?: Session) {
  const context = await browser.newContext({
    ...(session && { storageState: session }),
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(endsHangingActionMs);
  const faults: string[] = [];
  context.on('page', (page) => watch(page, origin, faults));
  t.after(() => context.close());

  let idle: Page | undefined;

  return {
    context,
    async open(t: TestContext) {
      const page = idle ?? (await context.newPage());
      idle = undefined;
      t.after(async () => {
        idle = page.isClosed() ? undefined : page;
        await idle?.unrouteAll({ behavior: 'ignoreErrors' });
        assert.deepEqual(faults.splice(0), []);
      });
      return { context, page };
    },
  };
}

/** Opens a page in a separate browser context. */
export const openPage = async (t: TestContext, browser: Browser, origin: string) => (await openWindow(t, browser, origin)).open(t);

function watch(page: Page, origin: string, faults: string[]) {
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // Chromium logs every error response. That is not a fault: tests check how the page handles it.
    const isErrorResponse = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isErrorResponse) faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`left the origin: ${request.url()}`);
  });
}
