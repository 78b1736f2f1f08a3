import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

const maxTabs = 150;

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, locator: Locator) {
  await locator.waitFor();
  for (let tabs = 0; tabs < maxTabs; tabs += 1) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${locator}`);
}
