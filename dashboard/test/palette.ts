import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Found, lookAt } from './accessibility.ts';
import type { Journey } from './journey.ts';

export async function palette(t: TestContext, { open, demo }: Journey) {
  await t.test('palette: goes to a page, finds a contact by last name, and runs a command, all by keyboard', async (t) => {
    const { page } = await open(t, '/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const search = page.getByLabel('Search or run a command');

    await page.keyboard.press('Control+k');
    await search.fill('audi');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();

    await page.keyboard.press('/');
    await search.fill(`hopper ${demo.ada.first_name.slice(0, 1)}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Ada Hopper' }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Hopper/ }).waitFor();

    for (const [q, heading] of [
      ['cust ber', 'Customers in Berlin'],
      ['autumn', 'Autumn release'],
      ['everybody', 'Tag everybody who asks'],
      ['new seg', 'New segment'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await search.fill(q);
      await page.getByRole('dialog').getByText(heading, { exact: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: heading }).waitFor();
    }

    await page.keyboard.press('Control+k');
    await search.fill('nothing is called like this');
    await page.getByText('No results.').waitFor();
    const found: Found = {};
    await lookAt(page, 'palette', found, { within: '[role="dialog"]' });
    assert.deepEqual(found, {});
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
  });

  await t.test('palette: g and a letter open a page, ? lists the shortcuts, and letters in a field are text', async (t) => {
    const { page } = await open(t, '/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.type('gc');
    await page.getByRole('heading', { name: 'Contacts' }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').pressSequentially('gw?/');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'gw?/');
    await page.getByRole('heading', { name: 'Contacts' }).click();
    await page.getByRole('searchbox').blur();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('LeadPulse').waitFor();
    await dialog.getByRole('region', { name: 'Steps of a workflow' }).getByText('Duplicate the step').waitFor();
    await dialog.getByRole('region', { name: 'Email editor' }).getByText('Insert a field').waitFor();
    const found: Found = {};
    await lookAt(page, 'shortcuts', found, { within: '[role="dialog"]' });
    assert.deepEqual(found, {});
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.type('gw');
    await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor();
  });
}
