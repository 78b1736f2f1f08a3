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

/** Presses Tab until the chosen one of several radio buttons has the focus. They have no size, so `tabTo` would wait for them. */
export async function tabToGroup(page: Page, group: Locator) {
  await group.waitFor();
  for (let tabs = 0; tabs < maxTabs && (await group.locator(':focus').count()) === 0; tabs += 1) await page.keyboard.press('Tab');
  await group.locator(':focus').waitFor({ state: 'attached' });
}
