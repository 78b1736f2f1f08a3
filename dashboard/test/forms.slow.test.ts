import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { createDemoClient } from '../../scripts/demo/client.ts';
import { createMailWatch } from '../../scripts/demo/readers.ts';
import { createDemoForm } from '../../scripts/demo/sign-ups.ts';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { openBrowser, openPage, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createCountedInput } from './counted-input.ts';
import { backLink, save } from './editor.ts';

/** How long a newcomer may take for a form whose page works. */
const maxSeconds = 180;

test('forms in the dashboard', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin', '--account', 'newcomers');
  const { context, page } = await openPage(t, browser, platform.url);
  const input = createCountedInput(page);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const fields = page.getByRole('list', { name: 'Fields' });
  const preview = page.getByRole('region', { name: 'Preview' });
  const consents = [{ key: 'news', channel: 'email', text: { en: 'Yes, send me news.' } }];
  const sender = { email: 'news@example.com' };
  const email = { field: 'email', type: 'email', label: { en: 'Email' }, required: true };
  const newForm = async (more: object) => (await client.post('/v2/contacts/forms', { fields: [email], consents, sender, ...more })).data;
  const submitTo = async (form: { url: string }, address: string) => {
    const body = JSON.stringify({ fields: { email: address }, consents: ['news'] });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await fetch(`${form.url}/submissions`, { method: 'POST', headers, body })).status, 200);
  };
  await page.goto(await platform.command('sign-in-link.ts', '--account', 'newcomers'));

  await t.test('a newcomer makes a form within three minutes, somebody submits its page, and the contact appears', async () => {
    await input.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns', exact: true }));
    await input.click(page.getByRole('navigation', { name: 'Pages of Campaigns' }).getByRole('link', { name: 'Forms', exact: true }));
    await input.click(page.getByRole('link', { name: 'Create a form' }));
    await input.type(page.getByLabel('Name', { exact: true }), 'Newsletter');
    await input.type(page.getByRole('combobox', { name: 'From email' }), 'news@example.com');
    await input.click(button('Add field'));
    await input.click(page.getByRole('menuitem', { name: 'Attribute' }));
    await input.type(fields.getByLabel('Attribute', { exact: true }), 'plan');
    await input.type(fields.getByLabel('Label', { exact: true }).last(), 'Your plan');
    await input.choose(fields.getByLabel('Type', { exact: true }).last(), 'One of a list');
    await input.click(button('Add option'));
    await input.type(fields.getByLabel('Option 1 of Your plan', { exact: true }), 'Professional');
    await preview.getByText('Your plan').waitFor();
    await input.click(button('Create form'));
    await page.getByRole('heading', { name: 'Newsletter', level: 1 }).waitFor();
    const { seconds } = input.effort();
    assert.ok(seconds <= maxSeconds, `${seconds} s`);

    const opening = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Open the page' }).click();
    const hosted = await opening;
    await hosted.getByRole('heading', { name: 'Stay in touch' }).waitFor();
    await hosted.getByLabel('Email', { exact: false }).first().fill('nora@example.com');
    await hosted.getByLabel('First name').fill('Nora');
    await hosted.getByLabel('Your plan').selectOption('Professional');
    await hosted.getByRole('checkbox').check();
    const submit = hosted.getByRole('button', { name: 'Subscribe' });
    // Nobody fills in a form within a second: the page says so, and takes it later.
    await eventually(async () => {
      await submit.click();
      return hosted.getByRole('heading', { name: 'Thank you' }).isVisible();
    });
    await hosted.close();

    const [nora] = await eventually(async () => {
      const { items } = (await client.get('/v2/contacts?email=nora@example.com')).data;
      return items.length > 0 && items;
    });
    assert.deepEqual([nora.first_name, nora.attributes.plan, nora.consent.email.status], ['Nora', 'Professional', 'pending']);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByRole('link', { name: 'Nora' }).waitFor();
  });

  await t.test('the list has what a form asks for, and its page', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('navigation', { name: 'Pages of Campaigns' }).getByRole('link', { name: 'Forms', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'Newsletter' });
    for (const text of ['Active', '3', 'On']) await row.getByRole('cell', { name: text, exact: true }).waitFor();
    const [form] = (await client.get('/v2/contacts/forms')).data.items;
    assert.equal(await row.getByRole('link', { name: 'Open the page of Newsletter' }).getAttribute('href'), `${platform.url}/f/${form.id}`);
    await row.getByRole('link', { name: 'Newsletter', exact: true }).click();
    await page.getByRole('heading', { name: 'Newsletter', level: 1 }).waitFor();
  });

  await t.test('its page has the numbers of the form', async () => {
    const numbers = page.getByRole('region', { name: 'Numbers of the form' });
    await numbers.getByText('New contacts').waitFor();
    await page.getByRole('table', { name: 'By page' }).getByText('Its own page').waitFor();
    assert.equal(
      (await client.get(`/v2/contacts/forms/${new URL(page.url()).pathname.split('/').at(-1)}/report`)).data.counts.submissions,
      1,
    );
  });

  await t.test('fields are moved by drag or keyboard and removed, and the focus stays with them', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    const items = fields.locator('> li');
    await items.last().locator('[draggable]').dragTo(items.first());
    await page.getByText('Your plan is now field 1 of 3.').waitFor({ state: 'attached' });
    await button('Move Your plan down').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Your plan is now field 2 of 3.').waitFor({ state: 'attached' });
    await page.locator('[aria-label="Move Your plan down"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Your plan is now field 3 of 3.').waitFor({ state: 'attached' });
    await page.locator('[aria-label="Move Your plan up"]:focus').waitFor();
    await button('Remove First name').focus();
    await page.keyboard.press('Enter');
    await save(page);
    await backLink(page).click();
    await page.getByText('Version 2', { exact: true }).waitFor();
    const [{ id }] = (await client.get('/v2/contacts/forms')).data.items;
    const { fields: stored } = (await client.get(`/v2/contacts/forms/${id}`)).data;
    assert.deepEqual(
      stored.map(({ field }: { field: string }) => field),
      ['email', 'attributes.plan'],
    );
  });

  await t.test('the code to copy has the form, for a page that may embed it', async () => {
    const use = page.getByRole('region', { name: 'Use it' });
    await use.getByText('Inside a page').click();
    await use.getByText('First add the address of your website').waitFor();
    await use.getByRole('button', { name: 'Copy: Inside a page' }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^<script async src="[^"]+\/f\/embed\.js" data-form="form_/);
    await use.getByLabel('Shown as').selectOption('Pop-up');
    await use.getByLabel('Shown', { exact: true }).selectOption('Halfway down the page');
    await use.getByText('data-display="popup" data-scroll="50"').waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('combobox', { name: 'Websites that may show the form' }).fill('https://shop.example.com');
    await save(page);
    await backLink(page).click();
    await use.getByText('Inside a page').click();
    await use.getByText('data-form="form_').waitFor();
    await use.getByText('First add the address of your website').waitFor({ state: 'detached' });
    await use.getByText('HTML', { exact: true }).click();
    await use.getByText('name="attributes.plan"').waitFor();
  });

  await t.test('a test submission says what would happen, and leaves no trace', async () => {
    await button('Test').click();
    const dialog = page.getByRole('dialog', { name: 'Test the form' });
    await dialog.getByLabel('Email', { exact: false }).first().fill('not an address');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.locator('[aria-invalid=true]:focus').waitFor();
    await dialog.getByLabel('Email', { exact: false }).first().fill('grace@example.com');
    await dialog.getByLabel('Your plan').selectOption('Professional');
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    const result = dialog.getByRole('status');
    await result.getByText('A contact would be created.').waitFor();
    await result.getByText('The confirmation email would go to grace@example.com.').waitFor();
    const found: Found = {};
    await lookAt(page, 'test of a form', found, { within: '[role=dialog]' });
    assert.deepEqual(found, {});
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await client.get('/v2/contacts?email=grace@example.com')).data.items.length, 0);
  });

  await t.test('a problem is shown at its field, and unsaved changes are not lost', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Wording').fill('');
    await button('Save').click();
    await page.getByText('Enter the wording in English.').waitFor();
    await page.locator('textarea[aria-invalid=true]:focus').waitFor();
    await backLink(page).click();
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByLabel('Wording').fill('Yes, write to me.');
    await save(page);
  });

  await t.test('the builder is accessible and fits, light and dark, on a phone and wide', async () => {
    const found: Found = {};
    await preview.getByText('Phone').click();
    await lookAt(page, 'form', found, { within: 'main' });
    assert.deepEqual(found, {});
  });

  await t.test('an earlier version is shown as visitors saw it, and restored, but for the look', async () => {
    await page.getByRole('region', { name: 'Look' }).getByLabel('Button', { exact: true }).fill('#7c3aed');
    await button('Versions').click();
    const drawer = page.getByRole('dialog', { name: 'Versions' });
    await drawer.getByText('Version 3 (current)').waitFor();
    await drawer.getByRole('button', { name: 'Show version 1' }).click();
    await drawer.getByRole('region', { name: 'Preview' }).getByText('First name').waitFor();
    const found: Found = {};
    await lookAt(page, 'versions of a form', found, { within: '[role=dialog]' });
    assert.deepEqual(found, {});
    await drawer.getByRole('button', { name: 'Restore version 1' }).click();
    await drawer.waitFor({ state: 'detached' });
    await save(page);
    const [{ id }] = (await client.get('/v2/contacts/forms')).data.items;
    const { fields: stored, look, version } = (await client.get(`/v2/contacts/forms/${id}`)).data;
    assert.deepEqual([stored.length, look.primary, version], [3, '#7c3aed', 4]);
  });

  await t.test('a form is duplicated, archived and restored', async () => {
    await backLink(page).click();
    await page.getByText('Version 4', { exact: true }).waitFor();
    await button('Duplicate').click();
    await page.getByRole('heading', { name: 'Newsletter (copy)' }).waitFor();
    await button('Archive').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive form' }).click();
    await page.getByText('This form is archived').waitFor();
    await page.getByRole('link', { name: 'Forms' }).first().click();
    await page.getByRole('switch', { name: 'Archived' }).click();
    await page.getByRole('link', { name: 'Newsletter (copy)', exact: true }).click();
    await button('Restore').click();
    await page.getByRole('region', { name: 'Use it' }).waitFor();
  });

  await t.test('a form that was flooded says so', async () => {
    const flooded = await newForm({ name: 'Flooded', limits: { confirmations_per_hour: 1 } });
    for (const email of ['first@example.com', 'second@example.com']) await submitTo(flooded, email);
    await page.goto(`${platform.url}/contacts/forms/${flooded.id}`);
    await page.getByText('This form was flooded').waitFor();
  });

  await t.test('contacts of an old system are asked to confirm, and get the email of the form', async () => {
    await newForm({ name: 'Old list' });
    await client.post('/v2/contacts', {
      ...{ email: 'old@example.com', first_name: 'Olga', tags: ['old'] },
      consent: { email: { status: 'pending' } },
    });
    await page.goto(`${platform.url}/contacts?field=tag&value=old`);
    await page.getByLabel('Select Olga').check();
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Request confirmation…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Request confirmation: 1 contact' });
    await dialog.getByRole('combobox', { name: 'Form' }).click();
    await page.getByRole('option', { name: 'Old list' }).click();
    await dialog.getByRole('button', { name: 'Ask 1 contact' }).click();
    await page.getByText('1 contact asked to confirm.').waitFor();
    const mails = createMailWatch(platform.url);
    await eventually(async () => (await mails.arrived()).some(({ to }) => to === 'old@example.com'));
  });

  await t.test("the demo's form has people who signed up, most of whom confirmed", async () => {
    const demo = await platform.client('--permission', 'admin', '--account', 'demo');
    const { url } = platform;
    const mails = createMailWatch(url).arrived;
    const shop = createDemoClient(url, String(demo.key));
    const { id, signUps } = await createDemoForm({ url, client: shop, mails, advance: () => {} });
    const { counts, pages } = await shop.get(`/v2/contacts/forms/${id}/report`);
    const confirming = signUps.filter(({ confirms }) => confirms).length;
    assert.deepEqual([counts.submissions, counts.new_contacts, counts.confirmations], [signUps.length, signUps.length, confirming]);
    assert.ok(confirming > signUps.length / 2 && pages.length > 2);
  });

  await t.test('the palette opens the forms and a new one', async () => {
    for (const [query, heading] of [
      ['forms', 'Forms'],
      ['new form', 'New form'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByLabel('Search or run a command').fill(query);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: heading, exact: true, level: 1 }).waitFor();
    }
  });
});
