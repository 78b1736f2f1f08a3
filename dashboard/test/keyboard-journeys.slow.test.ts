import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Locator, Page } from 'playwright-core';
import { part } from './campaign-reports.ts';
import { editorOf } from './emails.ts';
import type { Journey } from './journey.ts';
import { tabTo, tabToGroup } from './keyboard.ts';
import { peopleFile } from './people.ts';
import { testJourneys } from './test-journeys.ts';

testJourneys('journeys by keyboard alone', byKeyboard);

async function byKeyboard(t: TestContext, { open: openPage, client, demo, platform }: Journey) {
  const open = async (t: TestContext, path: string) => {
    const { page } = await openPage(t, path);
    // The window fails the test on console errors.
    await page.addInitScript(() => document.addEventListener('pointerdown', () => console.error('The mouse was used.'), true));
    await page.goto(platform.url + path);
    return { page, ...keysOf(page) };
  };

  await t.test('by keyboard alone, a file is imported', async (t) => {
    const { page, press, choose } = await open(t, '/contacts/imports');
    await press(page.getByRole('link', { name: 'New import' }));
    const choosing = page.waitForEvent('filechooser');
    await press(page.getByRole('button', { name: 'Drop a file here' }));
    await (await choosing).setFiles(peopleFile(48));
    await choose(page.getByLabel('Email consent of new contacts'), 'Subscribed');
    await press(page.getByRole('button', { name: 'Import', exact: true }));
    await page.getByRole('region', { name: 'Results', exact: true }).getByText('Completed').waitFor();
    assert.equal((await client.get('/v2/contacts?email=person.47@example.com')).data.items.length, 1);
  });

  await t.test('by keyboard alone, a segment is built with suggestions, emailed and reported on', async (t) => {
    const { page, press, type, choose, pick, arrowTo, tabToGroup } = await open(t, '/segments');
    const { keyboard } = page;
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    await press(page.getByRole('link', { name: 'New segment' }));
    await type(page.getByLabel('Name', { exact: true }), 'Customers in Hamburg');
    await pick(page.getByRole('combobox', { name: 'Value' }), 'Ham', 'Hamburg');
    await press(button('Add condition'));
    await arrowTo(page.getByRole('menuitem', { name: 'Field, tag or attribute' }));
    await keyboard.press('Enter');
    await choose(page.getByLabel('Field').nth(1), 'Tags');
    await choose(page.getByLabel('Operator').nth(1), 'have');
    await pick(page.getByRole('combobox', { name: 'Value' }).nth(1), 'cust', 'customer');
    // 12 of the demo data, and 4 that were imported.
    await page.getByText('16 contacts', { exact: true }).waitFor();
    await press(button('Create segment'));
    await page.getByRole('heading', { name: 'Customers in Hamburg' }).waitFor();
    const segmentId = new URL(page.url()).pathname.split('/')[2];
    await eventually(async () => (await client.get(`/v2/segments/${segmentId}`)).data.count === 16);

    await press(page.getByRole('link', { name: 'Send a campaign' }));
    await type(page.getByLabel('Name', { exact: true }), 'By keyboard');
    await type(page.getByRole('combobox', { name: 'From email' }), 'news@example.com');
    await press(button('Continue'));
    await type(page.getByLabel('Subject', { exact: true }), 'A day at the harbor');
    await tabTo(page, editorOf(page));
    await keyboard.press('ControlOrMeta+a');
    await keyboard.press('Backspace');
    await keyboard.type('Dear {{first');
    await page.getByRole('listbox', { name: 'Fields' }).getByRole('option', { name: 'First name' }).waitFor();
    await keyboard.press('Enter');
    await editorOf(page).getByText('First name | there').waitFor();
    await keyboard.press('Enter');
    await keyboard.type('/button');
    await page.getByRole('option', { name: 'Button' }).waitFor();
    await keyboard.press('Enter');
    const block = page.getByRole('region', { name: 'Selected block' });
    await type(block.getByLabel('Label'), 'Join us');
    await type(block.getByLabel('Links to'), 'https://shop.example/harbor');
    await tabToGroup(page.getByRole('radiogroup', { name: 'View' }));
    await keyboard.press('ArrowRight');
    await press(button('Send test…'));
    const testing = page.getByRole('dialog', { name: 'Send a test' });
    await type(testing.getByLabel('To'), 'me@example.com');
    await press(testing.getByRole('button', { name: 'Send test' }));
    await page.getByText('Test sent to 1 address.').waitFor();
    await press(button('Continue'));
    await page.getByLabel('Throttle (emails per minute)').waitFor();
    await press(button('Continue'));
    await press(button('Send to 16 contacts…'));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Send to 16 contacts' }));
    await page.locator('main header').first().getByText('Sent', { exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2];
    assert.equal((await client.get(`/v2/campaigns/${id}/analytics`)).data.counts.accepted, 16);

    await choose(page.getByLabel('Opens by'), 'Email domain');
    await page.getByRole('region', { name: 'Domains' }).waitFor();
    await press(button('Export'));
    await arrowTo(page.getByRole('menuitem', { name: 'By domain' }));
    const downloading = page.waitForEvent('download');
    await keyboard.press('Enter');
    assert.match(await readFile(await (await downloading).path(), 'utf8'), /example\.com/);
    await press(part(page, 'Recipients'));
    const recipients = page.getByRole('region', { name: 'Recipients' });
    await choose(recipients.getByLabel('Status', { exact: true }), 'Sent');
    await press(recipients.getByRole('table').getByRole('link').first());
    await page.getByRole('region', { name: 'Message' }).waitFor();
  });

  await t.test('by keyboard alone, LeadPulse is compared with the period before, filtered and given a goal', async (t) => {
    const { page, press, type, choose, tabToGroup } = await open(t, `/campaigns/${demo.sent.id}`);
    await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'LeadPulse' }));
    await tabToGroup(page.getByRole('radiogroup', { name: 'Time range' }));
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/days=7/);
    await choose(page.getByLabel('Compare with'), 'Compare');
    await page.getByRole('table', { name: 'Visitors by day' }).getByRole('columnheader', { name: 'Earlier' }).waitFor();
    await press(page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'Austria' }));
    await press(page.getByRole('link', { name: 'Remove the filter Country: Austria' }));
    await page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'Germany' }).waitFor();
    await press(page.getByRole('button', { name: 'Add a goal' }));
    const dialog = page.getByRole('dialog', { name: 'Add a goal' });
    await type(dialog.getByLabel('Name'), 'Orders');
    await type(dialog.getByRole('combobox', { name: 'Event', exact: true }), 'order_placed');
    await press(dialog.getByRole('button', { name: 'Add goal' }));
    await page.getByRole('table', { name: 'Goals' }).getByRole('link', { name: 'Orders' }).waitFor();
    const { items } = (await client.get('/v2/leadpulse/goals')).data;
    assert.equal(items[0].name, 'Orders');
  });
}

/** What a person does with the keyboard. Everything is reached by Tab. */
function keysOf(page: Page) {
  const { keyboard } = page;
  const type = async (field: Locator, text: string) => {
    await tabTo(page, field);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type(text);
  };
  return {
    type,
    press: async (target: Locator) => {
      await tabTo(page, target);
      await keyboard.press('Enter');
    },
    /** Chooses from a native list by the beginning of the option. */
    choose: async (list: Locator, beginning: string) => {
      await tabTo(page, list);
      await keyboard.type(beginning);
      await eventually(async () => (await list.locator('option:checked').textContent())?.startsWith(beginning));
    },
    /** Chooses the first suggestion. */
    pick: async (field: Locator, text: string, option: string) => {
      await type(field, text);
      await page.getByRole('option', { name: option, exact: true }).waitFor();
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await eventually(async () => (await field.inputValue()) === option);
    },
    tabToGroup: (group: Locator) => tabToGroup(page, group),
    /** Walks the items of the menu that is open. */
    arrowTo: async (item: Locator) => {
      await item.waitFor();
      for (let items = 0; items < 20 && !(await item.evaluate((element) => element === document.activeElement)); items += 1)
        await keyboard.press('ArrowDown');
      await item.and(page.locator(':focus')).waitFor();
    },
  };
}
