import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Journey } from './journey.ts';

export async function navigation(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('navigation: the tabs of a section lead to its pages, and say where the user is', async (t) => {
    const { page } = await open(t, '/contacts');
    const main = page.getByRole('navigation', { name: 'Main' });
    const tabs = page.getByRole('navigation', { name: 'Pages of Contacts' });
    await tabs.getByRole('link', { name: 'Segments', exact: true }).click();
    await page.getByRole('heading', { name: 'Segments', exact: true }).waitFor();
    await tabs
      .locator('[aria-current=page]')
      .and(tabs.getByRole('link', { name: 'Segments', exact: true }))
      .waitFor();
    await main
      .locator('[aria-current]')
      .and(main.getByRole('link', { name: 'Contacts', exact: true }))
      .waitFor();
    assert.equal(await main.locator('[aria-current]').count(), 1);
    await page.goto(`${platform.url}/segments/${demo.berlin.id}`);
    await page.getByRole('link', { name: 'Segments', exact: true }).click();
    await tabs.waitFor();
  });

  await t.test('navigation: one entry leads to the settings, each of which is beside every other', async (t) => {
    const { page } = await open(t, '/settings');
    await page.waitForURL(/\/settings\/account$/);
    const settings = page.getByRole('navigation', { name: 'Settings' });
    await settings.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
    await settings
      .locator('[aria-current=page]')
      .and(settings.getByRole('link', { name: 'Webhooks', exact: true }))
      .waitFor();
  });

  await t.test('navigation: on a phone, the sections are at the bottom', async (t) => {
    const { page } = await open(t, '/');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await t.test('contact: sends an email to one, which the list of messages shows', async (t) => {
    const { page } = await open(t, `/contacts/${demo.ada.id}`);
    await page.getByRole('button', { name: 'Send email' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send email' }).click();
    await dialog.getByText('Enter a subject.').waitFor();
    await dialog.getByLabel('From', { exact: true }).fill('shop@example.com');
    await dialog.getByLabel('Subject', { exact: true }).fill('Your question');
    await dialog.getByLabel('Text', { exact: true }).fill('Hello {{ contact.first_name }}, yes, it is.');
    await dialog.getByRole('button', { name: 'Send email' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [message] = await eventually(async () => {
      const { items } = (await client.get('/v2/campaigns/messages')).data;
      return items.length > 0 && items;
    });
    assert.deepEqual([message.to.contact_id, message.category], [demo.ada.id, 'transactional']);
    await page.goto(`${platform.url}/campaigns/messages`);
    await page.getByRole('table', { name: 'Messages' }).getByRole('link', { name: 'Ada Lovelace' }).first().waitFor();
  });

  await t.test('lists: the keyboard reaches what can be done with a row, and a chip filters at once', async (t) => {
    const { page } = await open(t, '/campaigns');
    const row = page.getByRole('row').filter({ hasText: demo.draft.name });
    await row.getByRole('link', { name: demo.draft.name, exact: true }).focus();
    await page.keyboard.press('Tab');
    await row.getByRole('link', { name: 'Edit campaign' }).and(page.locator(':focus')).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('Sent');
    await row.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '?status=sent');
    await page.getByRole('button', { name: 'Remove the filter Status' }).click();
    await row.waitFor();
  });
}
