import type { Page } from 'playwright-core';

/** The way out of an editor. */
export const backLink = (page: Page) => page.getByRole('link', { name: 'Back', exact: true });

/** What the header of an editor says about the changes. */
export const changes = (page: Page) => page.getByRole('status', { name: 'Changes' });

/** Saves what is typed in an editor. */
export async function save(page: Page) {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await changes(page).getByText('Saved', { exact: true }).waitFor();
}
