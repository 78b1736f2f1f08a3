import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen, signIn } from './journey.ts';

const screenshots = process.env.SCREENSHOTS;

test('two users approve campaigns and workflows', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const owner = await createOpen(t, platform, browser);
  const { data } = await client.post('/v2/settings/users', { email: 'bea@example.com', name: 'Bea', role: 'editor' });
  const bea = await createOpen(t, platform, browser, signIn(browser, data.invitation_url));
  const found: Found = {};

  async function look(page: Page, name: string, where: { within?: string } = {}) {
    await lookAt(page, name, found, where);
    if (screenshots === undefined) return;
    mkdirSync(screenshots, { recursive: true });
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 1440],
      ['light', 390],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${screenshots}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  await client.post('/v2/contacts', { email: 'ada@example.com', consent: { email: { status: 'subscribed', method: 'form' } } });
  const draft = {
    ...{ name: 'Spring', subject: 'Spring', from: { email: 'news@example.com' }, html: '<p>Hello</p>', audience: { include: ['all'] } },
  };
  const campaign = async () => (await client.post('/v2/campaigns', draft)).data.id;

  await t.test('an owner requires approval; an editor sees the setting and cannot change it', async (t: TestContext) => {
    const { page } = await owner(t, '/settings/sending');
    await page.getByLabel('Needs approval').selectOption('Large campaigns');
    await page.getByLabel('More recipients than').waitFor();
    await look(page, 'setting');
    const { id } = (await client.post('/v2/segments', { name: 'Test group', kind: 'static' })).data;
    await page.reload();
    await page.getByLabel('Needs approval').selectOption('All but given segments');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Choose a segment.').waitFor();
    await page.getByRole('combobox', { name: 'Segments without approval' }).fill('Test');
    await page.getByRole('option', { name: 'Test group' }).click();
    await page.keyboard.press('Escape');
    await look(page, 'setting of segments');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await shows(page, 'Saved');
    assert.deepEqual((await client.get('/v2/campaigns/settings')).data.approval_segments, [id]);
    await page.getByLabel('Needs approval').selectOption('Every campaign');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await shows(page, 'Saved');
    await page.getByLabel('Workflows need approval').click();
    await eventually(async () => (await client.get('/v2/workflows/settings')).data.approval === 'always');
    const other = await bea(t, '/settings/sending');
    assert.equal(await other.page.getByLabel('Needs approval').isDisabled(), true);
    assert.equal((await client.get('/v2/campaigns/settings')).data.approval, 'always');
  });

  await t.test('the approver sees who asked, the recipients and the checks, rejects with a comment and approves, by keys', async (t) => {
    const id = await campaign();
    const { page } = await owner(t, `/campaigns/${id}/edit?step=review`);
    await page.getByRole('button', { name: 'Send to 1 contact…' }).click();
    await page.getByRole('button', { name: 'Send to 1 contact', exact: true }).click();
    await shows(page, 'Another user must approve your campaign.');
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);

    const other = await bea(t, '/campaigns?status=awaiting_approval');
    await other.page.getByRole('link', { name: 'Spring' }).first().click();
    const approver = other.page.getByRole('region', { name: 'Awaiting approval' });
    await approver.getByText('Another user requested approval').waitFor();
    await shows(other.page, /1 contact/);
    await look(other.page, 'approver');
    await other.page.getByRole('button', { name: 'Reject…' }).focus();
    await other.page.keyboard.press('Enter');
    const comment = other.page.getByRole('dialog').getByLabel('Comment');
    await comment.waitFor();
    await look(other.page, 'reject', { within: '[role="dialog"]' });
    await comment.fill('Say more.');
    await other.page.keyboard.press('Tab');
    await other.page.keyboard.press('Tab');
    await other.page.keyboard.press('Enter');
    await shows(other.page, 'This campaign was rejected');

    await page.reload();
    await shows(page, 'Say more.');
    await look(page, 'rejected');
    await client.post(`/v2/campaigns/${id}/send`);
    await other.page.reload();
    await other.page.getByRole('button', { name: 'Approve', exact: true }).focus();
    await other.page.keyboard.press('Enter');
    await shows(other.page, /^(Gathering recipients|Sending|Sent)$/);
  });

  await t.test('the approver of a changed campaign sees all that differs, the checks and the email', async (t) => {
    const id = await campaign();
    const schedule_at = new Date(Date.now() + 48 * 3_600_000).toISOString();
    await client.post(`/v2/campaigns/${id}/send`, { schedule_at });
    const other = await bea(t, `/campaigns/${id}`);
    const approve = other.page.getByRole('button', { name: 'Approve', exact: true });
    await approve.click();
    await shows(other.page, 'Scheduled');
    const lines = Array.from({ length: 40 }, (_, line) => `<p>Line ${line}</p>`);
    await client.post(`/v2/campaigns/${id}/unschedule`);
    assert.equal((await client.put(`/v2/campaigns/${id}`, { subject: 'Summer', html: lines.join('\n') })).status, 200);
    await client.post(`/v2/campaigns/${id}/send`, { schedule_at });

    await other.page.reload();
    await approve.waitFor();
    const changes = other.page.getByRole('region', { name: 'Changes since the last approval' });
    assert.deepEqual(await changes.locator('del').allInnerTexts(), ['Spring', '<p>Hello</p>']);
    const [subject, html] = await changes.locator('ins').all();
    assert.ok(subject && html);
    assert.equal(await subject.innerText(), 'Summer');
    assert.match(await html.innerText(), /Line 39/);
    assert.equal(await html.evaluate(({ clientHeight, scrollHeight }) => scrollHeight > clientHeight), false, 'nothing is cut off');
    await other.page.getByRole('region', { name: 'Checks' }).waitFor();
    await other.page.frameLocator('iframe[title="Email preview"]').getByText('Line 39').waitFor();
    await look(other.page, 'changes');
  });

  await t.test('a workflow waits for its approver', async (t) => {
    const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
    const { id } = (await client.post('/v2/workflows', { name: 'Welcome', status: 'draft', trigger: { type: 'manual' }, steps })).data;
    const { page } = await owner(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Activate' }).click();
    await shows(page, 'Another user must approve your workflow.');
    const other = await bea(t, `/workflows/${id}`);
    await other.page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await look(other.page, 'workflow');
    assert.equal(await other.page.getByRole('link', { name: 'Simulate the workflow' }).getAttribute('href'), `/workflows/${id}/simulate`);
    await other.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await other.page.getByText('Active', { exact: true }).first().waitFor();
  });

  assert.deepEqual(found, {});
});
