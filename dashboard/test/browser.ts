import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const elsewhere = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
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

/** The Chromium of this machine, or CHROMIUM_PATH. */
function findChromium(): string | undefined {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return [...onPath, ...elsewhere].find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const executablePath = findChromium();

/** Why tests in a browser cannot run here; false when they can. */
export const withoutBrowser = executablePath
  ? false
  : 'no Chromium was found on this machine: install it (apt-get install chromium) or set CHROMIUM_PATH';

/** A browser for this test file, closed at its end. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
  t.after(() => browser.close());
  return browser;
}

/** What makes a window somebody's: their cookies. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/**
 * A window, like another person's, in which one test after the other opens pages: what one has loaded, the next has. At the
 * end of its test a page must have had no fault: nothing uncaught, no error on the console (what the Content-Security-Policy
 * stops is told there), no dialog and no request to elsewhere.
 */
export async function openWindow(t: TestContext, browser: Browser, origin: string, session?: Session) {
  const context = await browser.newContext({
    ...(session && { storageState: session }),
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(60_000);
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

/** A page in a window of its own. */
export const openPage = async (t: TestContext, browser: Browser, origin: string) => (await openWindow(t, browser, origin)).open(t);

function watch(page: Page, origin: string, faults: string[]) {
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // Chromium writes a line for every answer that is no success; what the page makes of it is what tests look at.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) faults.push(`console: ${message.text()}`);
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
