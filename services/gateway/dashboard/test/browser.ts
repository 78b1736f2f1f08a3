import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const elsewhere = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
const flags = [
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

const executablePath = findChromium();

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

/** What must never happen on a page, whatever else a test looks at. */
export type Faults = readonly string[];

/**
 * A page in a window of its own, like another person's. Its faults are collected: errors on the console, what the
 * Content-Security-Policy stopped, and requests that leave the origin.
 */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const faults: string[] = [];
  watch(context, origin, faults);
  const page = await context.newPage();
  return { context, page, faults: faults as Faults };
}

function watch(context: BrowserContext, origin: string, faults: string[]) {
  context.on('page', (page: Page) => {
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      // Chromium writes one line for every answer that is no success; what the page makes of it is what tests look at.
      const isAnswer = message.text().startsWith('Failed to load resource') && !message.text().includes('net::');
      if (message.type() === 'error' && !isAnswer) faults.push(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`left the origin: ${request.url()}`);
  });
}
