import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { type Found, lookAt } from './accessibility.ts';
import { script } from './demo.ts';
import type { Journey } from './journey.ts';

const rows = [
  '"Mail";"Given name";"Seats";"Remarks"',
  'mary@example.org;Mary;12;a',
  `joan@example.org;"${script.replaceAll('"', '""')}";3;b`,
  'nope;No;;c',
];

/** Imports and exports. */
export async function files(t: TestContext, { open, client, platform, demo }: Journey) {
  await t.test('imports: maps, tests and imports a file into a static segment, and lists the failed rows', async (t) => {
    const segment = (await client.post('/v2/segments', { name: 'From the fair', kind: 'static' })).data;
    const { page } = await open(t, '/contacts/imports');
    await page.getByRole('link', { name: 'New import' }).click();
    await page.getByRole('button', { name: 'Test run' }).click();
    await page.getByText('Choose a file.').waitFor();
    const found: Found = {};
    await lookAt(page, 'new import', found, { within: 'main' });
    assert.deepEqual(found, {});
    const choosePdf = async (field: string) => {
      const chosen = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: field }).press('Enter');
      await (await chosen).setFiles({ name: 'people.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
    };
    await choosePdf('Drop a file here');
    await page.getByText('Choose one CSV or NDJSON file of up to 1 GiB.').waitFor();
    await drop(page, 'people.csv', rows.join('\r\n'));
    await page.getByRole('button', { name: 'people.csv' }).waitFor();
    await page.getByRole('row', { name: /^Given name Mary/ }).waitFor();
    await choosePdf('people.csv');
    await page.getByText('people.csv is kept.').waitFor();
    await page.getByRole('row', { name: /^Given name Mary/ }).waitFor();
    assert.equal(await page.getByLabel('Column separator').inputValue(), ';');
    await page.getByText('2 columns not matched: Seats, Remarks.').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Choose a consent status.').waitFor();
    await page.getByLabel('Email consent of new contacts').selectOption('Subscribed: they agreed to receive email');
    await page.getByRole('combobox', { name: 'Add to a static segment' }).fill('fair');
    await page.getByRole('option', { name: 'From the fair' }).click();
    await page.getByLabel('Field for Seats').and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.getByLabel('Field for Seats').selectOption('Attribute');
    await page.getByLabel('Type of Seats').selectOption('Number');
    await page.getByRole('button', { name: "Don't import them" }).click();
    await page.getByLabel('Field for Mail').selectOption('Company');
    await page.getByRole('button', { name: 'Test run' }).click();
    await page
      .getByRole('alert')
      .getByText(/No column maps to /)
      .waitFor();
    await page.getByLabel('Field for Mail').selectOption('Email');
    await page.getByRole('button', { name: 'Test run' }).click();
    await page.getByRole('region', { name: 'Test results' }).getByText('Completed').waitFor();
    const fills = page.getByRole('list', { name: 'Columns' });
    assert.match(await fills.innerText(), /Mail → Email\s+Given name → First name\s+Seats → Attribute seats\s+Remarks → Not imported/);
    await page
      .getByRole('table', { name: 'Failed rows' })
      .getByRole('row', { name: /^3 email/ })
      .waitFor();
    assert.deepEqual((await client.get('/v2/contacts?email=mary@example.org')).data.items, [], 'a test run saves nothing');

    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('region', { name: 'Results', exact: true }).getByText('Completed').waitFor();
    await page.getByText('Contacts imported. Segments are up to date.').waitFor();
    await page.getByRole('link', { name: 'From the fair' }).waitFor();
    assert.equal((await client.get(`/v2/segments/${segment.id}`)).data.count, 2);
    await page
      .getByRole('region', { name: 'Failed rows' })
      .getByRole('row', { name: /^3 email/ })
      .waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download all as CSV' }).click();
    assert.match(
      await readFile(await (await download).path(), 'utf8'),
      /^row,field,code,message,Mail,Given name,Seats,Remarks\n3,email,[^\n]*,nope,No,,c\n$/,
    );
    const [mary] = (await client.get('/v2/contacts?email=mary@example.org')).data.items;
    assert.deepEqual([mary.first_name, mary.attributes], ['Mary', { seats: 12 }]);
    await page.getByRole('link', { name: 'Imports' }).click();
    await page.getByRole('table', { name: 'Imports' }).getByText('test run: nothing is saved').first().waitFor();
  });

  await t.test('imports: guesses fields, types and date formats from headers in other languages and from the values', async (t) => {
    const { page } = await open(t, '/contacts/imports/new');
    const text =
      'E-Mail-Adresse;Name;Land;Geburtstag;Newsletter\nl@musik.example;Ludwig van Beethoven;Österreich;1.2.1990;ja\n' +
      'c@musik.example;"Schumann, Clara";Deutschland;3.4.1991;nein\n';
    await page.locator('input[type=file]').setInputFiles({ name: 'kunden.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByText('2 columns not matched: Geburtstag, Newsletter.').waitFor();
    await page.getByText('First: Ludwig, last: van Beethoven · First: Clara, last: Schumann').waitFor();
    await page.getByRole('button', { name: 'Import them as attributes' }).click();
    await page.getByText('1.2.1990 → Feb 1, 1990').waitFor();
    await page.getByLabel('Date format of Geburtstag').selectOption('Month, day, year');
    await page.getByText('1.2.1990 → Jan 2, 1990').waitFor();
    await page.getByLabel('Date format of Geburtstag').selectOption('Day, month, year');
    const found: Found = {};
    await lookAt(page, 'guessed columns', found, { within: 'main' });
    assert.deepEqual(found, {});
    await page.getByLabel('Email consent of new contacts').selectOption('Pending: they still have to confirm');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('region', { name: 'Results', exact: true }).getByText('Completed').waitFor();
    const [ludwig] = (await client.get('/v2/contacts?email=l@musik.example')).data.items;
    assert.deepEqual([ludwig.first_name, ludwig.last_name, ludwig.address.country], ['Ludwig', 'van Beethoven', 'AT']);
    assert.deepEqual(ludwig.attributes, { geburtstag: '1990-02-01', newsletter: true });
  });

  await t.test('imports: imports the columns that the page shows, whatever the header contains', async (t) => {
    const { page } = await open(t, '/contacts/imports/new');
    const text = '"Name, first, last, title";Email;City\n"Hopper, Grace";grace@example.org;Arlington\n';
    await page.locator('input[type=file]').setInputFiles({ name: 'odd.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByText('1 column not matched: Name, first, last, title.').waitFor();
    await page.getByRole('button', { name: 'Import them as attributes' }).click();
    await page.getByLabel('Email consent of new contacts').selectOption('Pending: they still have to confirm');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('region', { name: 'Results', exact: true }).getByText('Completed').waitFor();
    const [grace] = (await client.get('/v2/contacts?email=grace@example.org')).data.items;
    assert.deepEqual([grace.address.city, grace.attributes], ['Arlington', { name_first_last_title: 'Hopper, Grace' }]);
    assert.equal(grace.consent.email.status, 'pending');
  });

  await t.test('imports: names the columns that an import over the API skipped', async (t) => {
    const { page } = await open(t, `/contacts/imports/${demo.imported.id}`);
    await page.getByRole('note').filter({ hasText: 'No field matches Notes' }).waitFor();
  });

  await t.test('imports: shows how far segments are, then that they are up to date', async (t) => {
    const path = `/v2/contacts/imports/${demo.imported.id}`;
    const job = (await client.get(path)).data;
    let consequences: object = { status: 'pending', progress: 0.4, applied_at: null };
    const { page } = await open(t, '/contacts/imports');
    await page.route(`**${path}`, (route) => route.fulfill({ json: { success: true, data: { ...job, consequences } } }));
    await page.getByRole('table', { name: 'Imports' }).locator(`a[href$="${demo.imported.id}"]`).click();
    await page.getByText('Contacts imported. Segments are being brought up to date… 40%').waitFor();
    assert.equal(await page.getByRole('progressbar', { name: 'Progress of segments' }).getAttribute('aria-valuenow'), '40');
    consequences = { status: 'applied', progress: 1, applied_at: new Date().toISOString() };
    await page.getByText('Contacts imported. Segments are up to date.').waitFor();
  });

  await t.test('imports: shows progress, and can be cancelled', async (t) => {
    const many = ['email', ...Array.from({ length: 200_000 }, (_, index) => `many.${index}@example.org`)].join('\n');
    const { id } = (await client.call('POST', '/v2/contacts/imports?dry_run=true', many, { 'content-type': 'text/csv' })).data;
    const { page } = await open(t, `/contacts/imports/${id}`);
    await page
      .getByRole('status')
      .getByText(/rows? read/)
      .waitFor();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this import?' });
    await dialog.getByText('A test run saves nothing, so no row is imported.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel import' }).click();
    await page.getByRole('region', { name: 'Test results' }).getByText('Cancelled').waitFor();
    await page
      .getByRole('status')
      .getByText(/rows? read/)
      .waitFor({ state: 'detached' });
  });

  await t.test('exports: exports the contacts of a segment, for signed-in users only', async (t) => {
    const { page } = await open(t, '/contacts');
    await page.getByRole('link', { name: 'Exports' }).click();
    await page.getByLabel('Contacts', { exact: true }).selectOption('Segment: Big teams');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const links = page.getByRole('link', { name: /^Download the export of/ });
    await eventually(async () => (await links.count()) === 2);
    const download = page.waitForEvent('download');
    await links.first().click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    const inIt = (await client.get('/v2/segments?name=Big%20teams')).data.items[0].count;
    assert.equal(lines.length, inIt + 1, 'the header and every contact of the segment');
    const href = await links.first().getAttribute('href');
    assert.equal((await fetch(platform.url + href)).status, 401);

    await page.getByLabel('Contacts', { exact: true }).selectOption('Segment: Customers in Berlin');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await eventually(async () => (await links.count()) === 3);
  });
}

/** Drags a CSV file onto the page, as from a folder of the computer. */
async function drop(page: Page, name: string, text: string) {
  const dataTransfer = await page.evaluateHandle(
    (file) => {
      const dragged = new DataTransfer();
      dragged.items.add(new File([file.text], file.name, { type: 'text/csv' }));
      return dragged;
    },
    { name, text },
  );
  await page.getByRole('button', { name: 'Drop a file here' }).dispatchEvent('drop', { dataTransfer });
}
