import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { fillWithDemo } from './demo.ts';
import { createOpen } from './journey.ts';

test('static segments, history and bulk actions in the dashboard', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  await fillWithDemo(client);
  const open = await createOpen(t, platform, browser);

  await t.test('segments: creates a static one, adds and removes contacts, archives and restores it', async (t) => {
    const { page } = await open(t, '/segments');
    await page.getByRole('button', { name: 'New static segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Trade fair');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('heading', { name: 'Trade fair' }).waitFor();
    await page.getByLabel('Contacts', { exact: true }).fill('script@example.com\nnobody@example.org');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('1 contact added. 1 contact not found.').waitFor();
    await page.getByRole('table', { name: 'Members' }).getByRole('link').first().waitFor();
    await page.getByRole('region', { name: 'Changes' }).getByText('entered: added or removed by hand').waitFor();
    await page
      .getByRole('region', { name: 'Size, last 30 days' })
      .getByRole('table', { name: 'Members by day' })
      .waitFor({ state: 'attached' });
    await page.getByLabel('Contacts', { exact: true }).fill('script@example.com');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('1 contact removed.').waitFor();

    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Archive segment' }).click();
    await page.getByText('Trade fair was archived.').waitFor();
    await page.getByRole('link', { name: 'Segments' }).first().click();
    await page.getByRole('switch', { name: 'Archived' }).click();
    await page.getByRole('link', { name: 'Trade fair' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Trade fair was restored.').waitFor();
    const { data } = await client.get('/v2/segments?name=Trade%20fair');
    assert.deepEqual([data.items[0].kind, data.items[0].archived_at], ['static', null]);
  });

  await t.test('segments: shows versions, and warns of an event that was never tracked', async (t) => {
    const definition = { sequence: [{ event: 'order_placedd' }, { not_event: 'order_placed' }], within: 'P1D', in_last: 'P30D' };
    const { data } = await client.post('/v2/segments', { name: 'Versions', definition: { field: 'tags', op: 'contains', value: 'vip' } });
    await client.put(`/v2/segments/${data.id}`, { definition });
    const { page } = await open(t, `/segments/${data.id}`);
    await page.getByText('Did “Order placedd”, then not “Order placed” within 1 day, in the last 30 days').waitFor();
    await page.getByRole('alert').getByText('The account has never tracked an event with the name order_placedd.').waitFor();
    const versions = page.getByRole('region', { name: 'Versions' });
    await versions.getByText('Version 2').waitFor();
    await versions.getByText('Tags have “vip”').waitFor();
  });

  await t.test('contacts: tags selected ones, deletes all of a list, and undoes that', async (t) => {
    const made = Array.from({ length: 3 }, (_, index) => ({
      email: `bulk${index}@example.org`,
      first_name: `Bulk ${index}`,
      tags: ['bulk'],
    }));
    await client.post('/v2/contacts/batch', { contacts: made });
    const { page } = await open(t, '/contacts?field=tag&value=bulk');
    await page.getByLabel('Select Bulk 0').check();
    await page.getByLabel('Select Bulk 2').check();
    await page.getByText('2 contacts selected.').waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Add tag' }).click();
    await page.getByRole('combobox', { name: 'Tag', exact: true }).last().fill('chosen');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 contacts changed.').waitFor();
    assert.equal((await client.get('/v2/contacts?tag=chosen')).data.items.length, 2);

    await page.getByLabel('Select Bulk 1').check();
    await page.getByRole('button', { name: 'Select all in this list' }).click();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete contacts' }).click();
    await page.getByText('3 contacts deleted.').waitFor();
    assert.equal((await client.get('/v2/contacts?tag=bulk')).data.items.length, 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('3 contacts restored.').waitFor();
    assert.equal((await client.get('/v2/contacts?tag=bulk')).data.items.length, 3);
  });
});
