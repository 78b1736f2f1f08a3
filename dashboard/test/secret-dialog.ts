import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Tries every way out of a dialog. A test opens the page from another page of the dashboard, so that Back leads there. */
export async function tryToLeave(page: Page) {
  // The page is guarded once it shows that the request was sent, which is a moment after the request.
  await page.waitForFunction(asksToStay);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await page.evaluate(() => window.history.back());
  assert.equal(await page.evaluate(asksToStay), true);
}

const asksToStay = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

type Creation = {
  /** The path of the request that creates the secret. */
  path: string;
  /** The field that shows the secret. */
  label: string;
  create: () => Promise<void>;
};

/** Creates a secret, and tries to leave while it is being created and while it is shown. Returns the secret. */
export async function createInSight(page: Page, { path, label, create }: Creation): Promise<string> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() === 'POST') await released;
    await route.continue();
  });
  const requested = page.waitForRequest((request) => request.method() === 'POST');
  await create();
  await requested;
  await tryToLeave(page);
  release();
  const field = page.getByRole('dialog').getByLabel(label, { exact: true });
  const secret = await field.inputValue();
  await tryToLeave(page);
  assert.equal(await field.inputValue(), secret);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.unroute(path);
  return secret;
}
