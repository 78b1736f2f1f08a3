import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { save } from './editor.ts';
import { createOpen } from './journey.ts';

const city = (value: string) => ({ field: 'address.city', op: 'eq', value });

test('what changes many contacts says which workflows it starts, and starts none if asked', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);
  const client = await platform.client('--permission', 'admin');
  for (const [name, place] of [
    ...['ada', 'ben', 'cleo'].map((name) => [name, 'Berlin']),
    ...['dora', 'emil'].map((name) => [name, 'Bonn']),
  ])
    assert.equal((await client.post('/v2/contacts', { email: `${name}@example.com`, address: { city: place } })).status, 201);
  const { id: segmentId } = (await client.post('/v2/segments', { name: 'Near', definition: city('Berlin') })).data;
  await eventually(async () => (await client.get(`/v2/segments/${segmentId}`)).data.count === 3);
  const send = (id: string) => ({ id, type: 'send', subject: 'Hi', from: { email: 'news@example.com' }, html: '<p>Hi</p>' });
  const steps = [{ ...send('one'), next: 'two' }, send('two')];
  const workflow = async (name: string, trigger: object) =>
    String((await client.post('/v2/workflows', { name, status: 'active', trigger, steps })).data.id);
  const runsOf = async (id: string) => (await client.get(`/v2/workflows/${id}/runs?limit=100`)).data.items.length;
  const near = await workflow('Welcome near', { type: 'segment_entered', segment_id: segmentId });
  const keepsQuiet = (page: Page) => page.getByRole('radio', { name: 'Do not start them' }).check();

  await t.test('a change of the conditions of a segment', async (t) => {
    const { page } = await open(t, `/segments/${segmentId}/edit`);
    await page.getByRole('combobox', { name: 'Value' }).fill('Bonn');
    await page.getByRole('link', { name: 'Welcome near' }).waitFor();
    await page.getByText('Up to 2 runs start, with up to 4 emails in the first hour.').waitFor();
    await keepsQuiet(page);
    await save(page);
    await eventually(async () => {
      const { count, status } = (await client.get(`/v2/segments/${segmentId}`)).data;
      return status === 'ready' && count === 2;
    });
    await page.getByRole('combobox', { name: 'Value' }).fill('Berlin');
    await page.getByText('Up to 3 runs start, with up to 6 emails in the first hour.').waitFor();
    await save(page);
    await eventually(async () => (await runsOf(near)) === 3);
  });

  await t.test('a tag for selected contacts', async (t) => {
    const tagged = await workflow('Changed', { type: 'contact_updated', fields: ['tags'] });
    const { page } = await open(t, '/contacts');
    const tag = async (name: string) => {
      await page.getByLabel('Select ada@example.com').check();
      await page.getByLabel('Select ben@example.com').check();
      await page.getByRole('button', { name: 'Actions', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Add tag' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add tag: 2 contacts' });
      await dialog.getByRole('combobox', { name: 'Tag' }).fill(name);
      await dialog.getByRole('link', { name: 'Changed' }).waitFor();
      // The segment that they might enter counts, too.
      await dialog.getByText('Up to 4 runs start, with up to 8 emails in the first hour.').waitFor();
      return dialog;
    };
    const quiet = await tag('quiet');
    await keepsQuiet(page);
    await quiet.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 contacts changed.').waitFor();
    const loud = await tag('loud');
    await loud.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => (await runsOf(tagged)) === 2);
    const runs = (await client.get(`/v2/workflows/${tagged}/runs?limit=100`)).data.items;
    assert.equal(runs.length, 2, 'only those of the second tag');
    await client.post(`/v2/workflows/${tagged}/archive`);
  });

  await t.test('an import, after its test run', async (t) => {
    const created = await workflow('Welcome', { type: 'contact_created' });
    const { page } = await open(t, '/contacts/imports/new');
    const text = 'email,city\nfritz@example.com,Bonn\ngina@example.com,Berlin\nada@example.com,Bonn\n';
    await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByLabel('Email consent of new contacts').selectOption('Pending: they still have to confirm');
    await page.getByText('A test run shows how many runs and emails that are.').waitFor();
    await page.getByRole('button', { name: 'Test run' }).click();
    // Two are created and one changes; each of them may enter the segment.
    await page.getByText('Up to 5 runs start, with up to 10 emails in the first hour.').waitFor();
    await keepsQuiet(page);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Contacts imported. Segments are up to date.').waitFor();
    await client.post('/v2/contacts', { email: 'last@example.com' });
    await eventually(async () => (await runsOf(created)) === 1);
    assert.equal(await runsOf(near), 3);
  });
});
