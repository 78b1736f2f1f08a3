import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type Found, lookAt } from './accessibility.ts';
import { script } from './demo.ts';
import type { Journey } from './journey.ts';
import { tabTo } from './keyboard.ts';
import { serveContacts } from './made-up-contacts.ts';

export async function contacts(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('contacts: loads more while scrolling, and renders only rows in view', async (t) => {
    const { page } = await open(t, '/contacts');
    await page.getByRole('link', { name: script }).waitFor();
    const rows = page.getByRole('table', { name: 'Contacts' }).getByRole('row');
    while ((await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).count()) === 0) await page.mouse.wheel(0, 3_000);
    assert.ok((await rows.count()) < 60, `${await rows.count()} rows are on the page`);
  });

  await t.test('contacts: renders only rows in view after scrolling through 100,000', async (t) => {
    const { context } = await open(t, '/');
    const page = await context.newPage();
    await serveContacts(page, { total: 100_000, atOnce: 25_000 });
    await page.goto(`${platform.url}/contacts`);
    const rows = page.getByRole('table', { name: 'Contacts' }).getByRole('row');
    while ((await page.getByRole('link', { name: 'Number 100000', exact: true }).count()) === 0) {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      assert.ok((await rows.count()) < 60, `${await rows.count()} rows are on the page`);
    }
    assert.equal(await page.getByRole('table', { name: 'Contacts' }).getAttribute('aria-rowcount'), '100001');
    await page.close();
  });

  await t.test('contacts: requests a further page only when the rows before it come near', async (t) => {
    const { context } = await open(t, '/');
    const page = await context.newPage();
    await serveContacts(page, { total: 1_500, atOnce: 500 });
    await page.goto(`${platform.url}/contacts`);
    await page.getByRole('link', { name: 'Number 1', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    const further = () =>
      page.evaluate(() => performance.getEntriesByType('mark').flatMap(({ name }) => (name.startsWith('contacts from') ? [name] : [])));
    assert.deepEqual(await further(), []);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await page.getByRole('link', { name: 'Number 501', exact: true }).waitFor();
    assert.deepEqual(await further(), ['contacts from 500']);
    await page.close();
  });

  await t.test('contacts: remembers the chosen columns', async (t) => {
    const { page } = await open(t, '/contacts');
    await page.getByRole('button', { name: 'Columns' }).click();
    const found: Found = {};
    await lookAt(page, 'columns menu', found, { within: '[role=menu]' });
    assert.deepEqual(found, {});
    await page.getByRole('menuitemcheckbox', { name: 'City' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Company' }).click();
    await page.getByRole('columnheader', { name: 'City' }).waitFor();
    await page.reload();
    await page.getByRole('columnheader', { name: 'City' }).waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Company' }).count(), 0);
  });

  await t.test('contacts: edits a field in the list with the keyboard, and overwrites no value that was saved elsewhere', async (t) => {
    const inga = { email: 'inga@example.org', first_name: 'Inga', attributes: { seats: 4 } };
    const { id } = (await client.post('/v2/contacts', inga)).data;
    const stored = async () => (await client.get(`/v2/contacts/${id}`)).data;
    const { page } = await open(t, '/contacts?field=email&value=inga@example.org');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'First name' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'seats' }).click();
    await page.keyboard.press('Escape');

    const edit = page.getByRole('button', { name: 'Edit first name of Inga' });
    const input = page.getByRole('textbox', { name: 'First name of Inga' });
    await edit.focus();
    await page.keyboard.press('F2');
    await input.and(page.locator(':focus')).fill('Not saved');
    await page.keyboard.press('Escape');
    await edit.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await input.inputValue(), 'Inga');
    await input.fill('Ingrid');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit first name of Ingrid' }).and(page.locator(':focus')).waitFor();
    await eventually(async () => (await stored()).first_name === 'Ingrid');

    await page.getByRole('button', { name: 'Edit seats of Ingrid' }).click();
    const seats = page.getByRole('textbox', { name: 'Seats of Ingrid' });
    await seats.fill('five');
    await seats.press('Enter');
    await page.getByText('Enter a number, such as 4.5.').waitFor();
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await seats.inputValue(), 'five');
    await client.put(`/v2/contacts/${id}`, { attributes: { seats: 9 } });
    await seats.fill('5');
    await seats.press('Enter');
    await page.getByText('It was changed to “9” in the meantime. Save again to replace it.').waitFor();
    assert.equal(await seats.inputValue(), '5');
    assert.equal((await stored()).attributes.seats, 9);
    const found: Found = {};
    await lookAt(page, 'edit in the list', found, { within: 'main' });
    assert.deepEqual(found, {});
    await seats.press('Enter');
    await eventually(async () => (await stored()).attributes.seats === 5);

    await page.getByRole('button', { name: 'Edit tags of Ingrid' }).click();
    await page.getByRole('textbox', { name: 'Tags of Ingrid' }).fill('vip, press');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'vip press' }).waitFor();
    await eventually(async () => (await stored()).tags.join() === 'vip,press');
    await page.getByLabel('Select Ingrid').check();
    await page.getByText('1 contact selected.').waitFor();
  });

  await t.test('contacts: Shift selects a range, and the box in the header all rows, by mouse and by keyboard', async (t) => {
    const { page } = await open(t, '/contacts');
    const boxes = page.getByRole('cell').getByRole('checkbox');
    const all = page.getByRole('checkbox', { name: 'Select all rows' });
    const selected = (text: string) => page.getByRole('group', { name: 'Selected contacts' }).getByText(text).waitFor();
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ['Shift'] });
    await selected('4 contacts selected.');
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await selected('2 contacts selected.');
    assert.equal(await page.evaluate(() => getSelection()?.toString()), '', 'no text is selected');
    await all.click();
    await selected(`${(await client.get('/v2/contacts')).data.items.length} contacts selected.`);
    await all.click();
    await page.getByRole('group', { name: 'Selected contacts' }).waitFor({ state: 'detached' });

    await tabTo(page, boxes.nth(2));
    await page.keyboard.press('Space');
    await tabTo(page, boxes.nth(5));
    await page.keyboard.press('Shift+Space');
    await selected('4 contacts selected.');
    await page.getByRole('button', { name: 'Clear selection' }).click();
  });

  await t.test('contacts: filters, searches and sorts, and keeps that in the URL', async (t) => {
    const { page } = await open(t, '/contacts');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Filter by').selectOption('Attribute');
    await page.getByLabel('Attribute', { exact: true }).fill('seats');
    await page.getByRole('combobox', { name: 'Value', exact: true }).fill('12');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'seats 12' }).waitFor();
    await eventually(async () => (await page.getByRole('table').getByRole('row').count()) === 21);
    await page.getByRole('button', { name: 'Created', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Created', exact: false }).and(page.locator('[aria-sort=ascending]')).waitFor();
    await page.reload();
    await page.getByRole('columnheader', { name: 'Created' }).and(page.locator('[aria-sort=ascending]')).waitFor();

    // Two contacts have this name, and one of them these seats.
    await page.getByRole('searchbox').fill('katherine r');
    await page.getByRole('searchbox').press('Enter');
    await eventually(async () => (await page.getByRole('table').getByRole('row').count()) === 2);
    await page.getByRole('link', { name: 'Katherine Ritchie' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Created', exact: true }).count(), 0, 'a search has its own order');
    await page.reload();
    await page.getByRole('link', { name: 'Katherine Ritchie' }).waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await eventually(async () => (await page.getByRole('table').getByRole('row').count()) === 21);
    await page.getByRole('searchbox').fill('nobody is called like this');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('No contacts match these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    // Still the oldest first.
    await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), '');
    await page.getByRole('button', { name: 'Filter', exact: true }).waitFor();
  });

  await t.test('contacts: saves a view, opens it from elsewhere, and deletes it', async (t) => {
    const { page } = await open(t, '/contacts?field=tag&value=customer&sort=created_at');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('Customers, oldest first');
    await page.keyboard.press('Enter');
    await page.getByText('The view Customers, oldest first was saved.').waitFor();
    await page.goto(new URL('/contacts', page.url()).href);
    // As slow as a person's click: the button must not move while the list loads.
    await page.getByRole('button', { name: 'Views' }).click({ delay: 200 });
    await page.getByRole('menuitem', { name: 'Customers, oldest first' }).click();
    await page.getByRole('button', { name: 'Customers, oldest first' }).waitFor();
    assert.equal(new URL(page.url()).search, '?field=tag&value=customer&sort=created_at');
    await page.getByRole('button', { name: 'Customers, oldest first' }).click();
    await page.getByRole('menuitem', { name: 'Delete this view' }).click();
    await page.getByRole('button', { name: 'Views' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Views' }).waitFor({ state: 'detached' });
  });

  await t.test("contacts: shows the API's error for an unsupported filter and sort", async (t) => {
    const { page } = await open(t, '/contacts?field=tag&value=vip&sort=updated_at');
    await page.getByRole('alert').getByText('The list does not support').waitFor();
  });

  await t.test('contacts: creates, updates and deletes one, with validation errors at their fields', async (t) => {
    const { page } = await open(t, '/contacts');
    await page.getByRole('link', { name: 'New contact' }).click();
    await page.getByLabel('Email', { exact: true }).fill('not an address');
    await page.getByRole('button', { name: 'Create contact' }).click();
    await page.getByText('Choose a consent status.').waitFor();
    await page.getByLabel('Email consent').selectOption('Pending: they still have to confirm');
    await page.getByRole('button', { name: 'Create contact' }).click();
    await page.getByLabel('Email', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('Email', { exact: true }).fill('noor@example.com');
    await page.getByLabel('First name').fill('Noor');
    await page.getByRole('combobox', { name: 'City', exact: true }).fill('Lahore');
    await page.getByRole('combobox', { name: 'Tags' }).fill('vip');
    await page.getByRole('combobox', { name: 'Tags' }).press('Enter');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    await page.getByLabel('Name of new attribute').fill('seats');
    // The account has seats already, as numbers.
    assert.deepEqual(await page.getByLabel('Type of seats').and(page.locator(':disabled')).inputValue(), 'number');
    await page.getByLabel('Value of seats').fill('four');
    await page.getByRole('button', { name: 'Create contact' }).click();
    await page.getByText('Enter a number for seats, such as 4.5.').waitFor();
    await page.getByLabel('Value of seats').fill('4');
    await page.getByRole('button', { name: 'Create contact' }).click();
    await page.getByRole('heading', { name: 'Noor', exact: true }).waitFor();
    await page.getByText('Noor was created.').waitFor();
    const { items } = (await client.get('/v2/contacts?email=noor@example.com')).data;
    assert.deepEqual(
      [items[0].address.city, items[0].tags, items[0].attributes, items[0].consent.email.status],
      ['Lahore', ['vip'], { seats: 4 }, 'pending'],
    );

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('First name').fill('Noor Jehan');
    await page.getByRole('combobox', { name: 'City', exact: true }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Noor Jehan', exact: true }).waitFor();
    const changed = (await client.get(`/v2/contacts/${items[0].id}`)).data;
    assert.deepEqual([changed.first_name, changed.address?.city ?? null, changed.tags], ['Noor Jehan', null, ['vip']]);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete contact' }).click();
    await page.getByText('Noor Jehan was deleted.').waitFor();
    assert.equal((await client.get(`/v2/contacts/${items[0].id}`)).status, 404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Noor Jehan was restored.').waitFor();
    assert.equal((await client.get(`/v2/contacts/${items[0].id}`)).data.first_name, 'Noor Jehan');
  });

  await t.test('contacts: erases one', async (t) => {
    const { id } = (await client.post('/v2/contacts', { email: 'forget@example.org', first_name: 'Fay' })).data;
    const { page } = await open(t, `/contacts/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Erase everything').check();
    await page.getByRole('button', { name: 'Erase contact' }).click();
    await page.getByText('Fay was erased.').waitFor();
    assert.deepEqual((await client.get('/v2/contacts?email=forget@example.org')).data.items, []);
  });

  await t.test('contacts: compares both versions if the contact has changed since it was opened', async (t) => {
    const { page } = await open(t, `/contacts/${demo.ada.id}/edit`);
    await page.getByRole('combobox', { name: 'Company', exact: true }).fill('Mine');
    await client.put(`/v2/contacts/${demo.ada.id}`, { company: 'Theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'A newer version was saved' });
    await dialog.getByRole('row', { name: 'Company Theirs Mine' }).waitFor();
    assert.equal((await client.get(`/v2/contacts/${demo.ada.id}`)).data.company, 'Theirs');
    await dialog.getByRole('button', { name: 'Overwrite with yours' }).click();
    await page.waitForURL(`${platform.url}/contacts/${demo.ada.id}`);
    assert.equal((await client.get(`/v2/contacts/${demo.ada.id}`)).data.company, 'Mine');
    assert.equal(
      await page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('mp draft'))),
      false,
      'nothing of a contact is kept in the browser',
    );
  });

  await t.test('contacts: shows a script in any field as text', async (t) => {
    const { page } = await open(t, `/contacts/${demo.unsafe.id}`);
    await page.getByRole('heading', { name: script }).waitFor();
    await page.getByRole('region', { name: 'Attributes' }).getByText(script).waitFor();
    assert.equal(await page.title(), `${script} · Marketing Platform`);
  });
}
