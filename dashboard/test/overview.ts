import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Response } from 'playwright-core';
import type { Journey } from './journey.ts';
import { readEmails } from './readers.ts';

export async function overview(t: TestContext, { open, client, platform, demo }: Journey) {
  await t.test('overview: shows the metrics of a period, which the URL keeps, each with a link to its page', async (t) => {
    await readEmails(platform.url);
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const summary = async () =>
      (await client.get(`/v2/campaigns/summary?from=${from}&to=${new Date(Date.now() + 86_400_000).toISOString()}`)).data;
    await eventually(async () => (await summary()).counts.clicked.unique.human > 0);
    const { page } = await open(t, '/');
    const metrics = page.getByRole('region', { name: 'Last 30 days', exact: true });
    await metrics.getByRole('link', { name: /^Emails sent\s*[1-9]/ }).waitFor();
    await metrics.getByRole('link', { name: /^Revenue\s*€/ }).waitFor();
    await metrics.getByRole('link', { name: /^Open rate\s*\d/ }).waitFor();
    await page.getByText('90 days', { exact: true }).click();
    await page.getByRole('region', { name: 'Last 90 days', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Last 90 days', exact: true }).getByRole('link', { name: 'Running workflows' }).click();
    await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor();
    assert.equal(new URL(page.url()).search, '?status=active');
  });

  await t.test('overview: says what needs attention, with a link to it, and nothing if all is well', async (t) => {
    const { page } = await open(t, '/');
    await page.getByRole('region', { name: 'Last 30 days', exact: true }).waitFor();
    await page.getByRole('link', { name: demo.welcome.name }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Needs attention' }).count(), 0);
    await page.route(`**/v2/workflows/${demo.welcome.id}/analytics`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.counts.failed = 3;
      await route.fulfill({ response, json });
    });
    let lastFailureAt = new Date(Date.now() - 60 * 86_400_000).toISOString();
    await page.route(`**/v2/workflows/${demo.welcome.id}`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.last_failure = { run_id: 'run_of_this_test', step_id: null, reason: null, at: lastFailureAt };
      await route.fulfill({ response, json });
    });
    await page.route('**/v2/settings/usage', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      Object.assign(json.data, { used: 900, limit: 1_000, remaining: 100 });
      await route.fulfill({ response, json });
    });
    await page.route(/\/v2\/campaigns\?.*status=scheduled/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.items = [{ ...demo.draft, status: 'scheduled', problem: 'The segment could not be built.' }];
      await route.fulfill({ response, json });
    });
    const isWorkflow = (response: Response) => new URL(response.url()).pathname === `/v2/workflows/${demo.welcome.id}`;
    await Promise.all([page.waitForResponse(isWorkflow), page.reload()]);
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText("90% of today's API quota is used.").waitFor();
    await attention.getByText(`The scheduled campaign ${demo.draft.name} would fail at its start.`).waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await attention.getByText('3 runs of').count(), 0, 'the last failure is older than the period');
    lastFailureAt = new Date().toISOString();
    await page.reload();
    await attention.getByText('3 runs of').waitFor();
    await attention.getByRole('link', { name: demo.welcome.name }).click();
    await page.getByRole('heading', { name: demo.welcome.name }).waitFor();
  });

  await t.test('overview: shows the first steps, with the brand and a sending domain, until all are done', async (t) => {
    const { page } = await open(t, '/');
    const steps = page.getByRole('region', { name: 'First steps' });
    const respond = (path: RegExp, change: (data: Record<string, unknown>) => object) =>
      page.route(path, async (route) => {
        const response = await route.fetch();
        const json = await response.json();
        await route.fulfill({ response, json: { ...json, data: { ...json.data, ...change(json.data) } } });
      });
    await respond(/\/v2\/campaigns\/brand/, () => ({ company_name: 'Acme' }));
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('mp-first-steps')) localStorage.removeItem(key);
    });
    await page.reload();
    await page.getByRole('progressbar', { name: '6 of 7 first steps done' }).waitFor();
    await steps.getByRole('listitem').filter({ hasText: 'Verify a sending domain' }).getByRole('link', { name: 'Add a domain' }).waitFor();
    await respond(/\/v2\/campaigns\/senders/, () => ({
      items: [{ id: 'sender_1', domain: 'example.com', status: 'verified', records: [] }],
    }));
    await page.reload();
    await page.getByRole('region', { name: 'Last 30 days', exact: true }).waitFor();
    await page.getByRole('link', { name: demo.welcome.name }).waitFor();
    await steps.waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await page.getByRole('link', { name: demo.welcome.name }).waitFor();
    assert.equal(await steps.count(), 0, 'they do not come back');
  });
}

/** In an account without contacts, emails, visits and workflows. */
export async function firstSteps(t: TestContext, { open, client }: Pick<Journey, 'open' | 'client'>) {
  await t.test('overview: lists the first steps of a new account, each with its button, until it is hidden', async (t) => {
    const { page } = await open(t, '/');
    const steps = page.getByRole('region', { name: 'First steps' });
    // The client of this test is the key.
    await steps.getByRole('listitem').filter({ hasText: 'Connect your app' }).getByRole('img', { name: 'Done:' }).waitFor();
    const contacts = steps.getByRole('listitem').filter({ hasText: 'Add contacts' });
    await contacts.getByRole('img', { name: 'To do:' }).waitFor();
    await contacts.getByRole('link', { name: 'Import contacts' }).click();
    await page.getByRole('heading', { name: 'New import' }).waitFor();
    await client.post('/v2/contacts', { email: 'first@example.com' });
    await page.getByRole('link', { name: 'Overview' }).click();
    await contacts.getByRole('img', { name: 'Done:' }).waitFor();
    assert.equal(await contacts.getByRole('link').count(), 0);
    await steps.getByRole('button', { name: 'Hide' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('region', { name: 'Last 30 days', exact: true }).waitFor();
    assert.equal(await steps.count(), 0);
  });
}
