import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type Found, lookAt } from './accessibility.ts';
import type { Journey } from './journey.ts';

export async function campaignList(t: TestContext, { open, platform }: Journey) {
  await t.test('campaigns: finds them by words of their name, in a list that can be bookmarked', async (t) => {
    const { page } = await open(t, '/campaigns');
    await page.getByRole('searchbox', { name: 'Search' }).fill('release aut');
    await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
    await page.waitForURL(/q=release/);
    await page.reload();
    await page.getByRole('link', { name: 'Autumn release' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Winter offer' }).count(), 0);
    await page.getByRole('button', { name: 'Created', exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Updated', exact: true }).count(), 0, 'a search has no such order');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('link', { name: 'Winter offer' }).first().waitFor();
  });

  await t.test('campaigns: links to the local mailbox', async (t) => {
    const { page, context } = await open(t, '/campaigns');
    assert.equal(await page.getByRole('link', { name: 'Local mailbox' }).getAttribute('href'), '/t/mailbox');
    await eventually(async () => (await (await context.request.get(`${platform.url}/t/mailbox`)).text()).includes('Dear Ada'));
    await page.goto(`${platform.url}/t/mailbox`);
    await page.getByRole('link', { name: 'Dear Ada' }).first().click();
    await page.getByRole('heading', { name: 'Dear Ada' }).waitFor();
    await page.getByText('news@example.com').first().waitFor();
    await page.frameLocator('iframe[title="Email"]').getByText('Unsubscribe').waitFor();
    const found: Found = {};
    await lookAt(page, 'mail', found);
    assert.deepEqual(found, {});
  });
}
