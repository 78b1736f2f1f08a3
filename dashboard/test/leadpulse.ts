import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { script } from './demo.ts';
import type { Journey } from './journey.ts';

export async function leadpulse(t: TestContext, { open, client }: Journey) {
  await t.test('traffic: shows a chart, a table for screen readers, and a breakdown', async (t) => {
    const { page } = await open(t, '/leadpulse');
    const { totals } = (await client.get(`/v2/leadpulse/analytics?from=${daysAgo(27)}`)).data;
    await page.getByRole('region', { name: 'Totals' }).getByText(String(totals.pageviews), { exact: true }).waitFor();
    await page.locator('.recharts-area-curve').first().waitFor();
    assert.equal(await page.getByRole('table', { name: 'Visitors and page views by day' }).getByRole('rowheader').count(), 28);
    await page.getByLabel('Break down by').selectOption('Country');
    await page.getByRole('table', { name: 'Breakdown' }).getByRole('cell', { name: 'DE' }).waitFor();
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/days=7.*by=country|by=country.*days=7/);
  });

  await t.test('traffic: shows the standard error where visitors are estimated', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('region', { name: 'Totals' }).waitFor();
    assert.equal(await page.getByText(/standard error/).count(), 0, 'exact counts have no note');
    await page.route('**/v2/leadpulse/analytics?*', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.totals.visitors_error = 0.0081;
      await route.fulfill({ response, json });
    });
    await page.reload();
    await page.getByRole('note').getByText('standard error of up to 0.8%').waitFor();
  });

  await t.test('visitors: filters by known contacts, and shows the activity of one', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('link', { name: 'Visitors', exact: true }).click();
    await page.getByLabel('Type').selectOption('Contacts');
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link', { name: 'visitor-script' }).click();
    // The visited page's title is a script, which must be shown as text.
    await page.getByRole('table', { name: 'Latest events' }).getByText(script).waitFor();
    await page.getByRole('region', { name: 'Visitor', exact: true }).getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await page.getByRole('link', { name: 'View website activity' }).click();
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link', { name: 'visitor-script' }).waitFor();
  });
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
