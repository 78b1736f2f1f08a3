import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

test('attributes have their declared type in forms', { skip: withoutBrowser }, async (t) => {
  const services = ['gateway', 'contacts', 'segments'] as const;
  const [platform, browser] = await Promise.all([startPlatform(t, { services }), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const attributes = { seats: 4, code: 'A7', trial: true, renewal: '2026-05-01', likes: ['tea'] };
  assert.equal((await client.post('/v2/contacts', { email: 'ada@example.com', attributes })).status, 201);
  const open = await createOpen(t, platform, browser);

  await t.test('a condition offers the operators of the type, and sends its values', async (t) => {
    const { page } = await open(t, '/segments/new');
    await page.getByLabel('Name', { exact: true }).fill('By code');
    await page.getByLabel('Field').selectOption('Attribute…');
    const operators = () => page.getByLabel('Operator').locator('option').allInnerTexts();
    await page.getByLabel('Attribute name').fill('seats');
    await page.getByLabel('Operator').getByText('contains', { exact: true }).waitFor({ state: 'detached' });
    assert.ok((await operators()).includes('is at least'));
    await page.getByLabel('Attribute name').fill('trial');
    await page.getByLabel('Value').selectOption('No');
    assert.deepEqual(await operators(), ['is', 'is not', 'has a value', 'has no value']);
    await page.getByLabel('Attribute name').fill('code');
    await page.getByRole('combobox', { name: 'Value' }).fill('10115');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('heading', { name: 'By code' }).waitFor();
    const { definition } = (await client.get('/v2/segments?name=By%20code')).data.items[0];
    assert.deepEqual(definition, { all: [{ field: 'attributes.code', op: 'eq', value: '10115' }] });
  });

  await t.test('the type of an attribute of a contact is fixed; a new one can be a date', async (t) => {
    const { page } = await open(t, '/contacts/new');
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await page.getByLabel('Email consent').selectOption('Pending: they still have to confirm');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    await page.getByLabel('Name of new attribute').fill('seats');
    assert.equal(await page.getByLabel('Type of seats').and(page.locator(':disabled')).inputValue(), 'number');
    await page.getByLabel('Value of seats').fill('7');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    await page.getByLabel('Name of new attribute').fill('born');
    await page.getByLabel('Type of born').selectOption('Date');
    await page.getByLabel('Value of born').fill('yesterday');
    await page.getByRole('button', { name: 'Create contact' }).click();
    await page.getByText('Enter a date for born, such as 2026-05-01.').waitFor();
    await page.getByLabel('Value of born').fill('1906-12-09');
    await page.getByRole('button', { name: 'Create contact' }).click();
    await page.getByRole('heading', { name: 'grace@example.com' }).waitFor();
    const { items } = (await client.get('/v2/contacts?email=grace@example.com')).data;
    assert.deepEqual(items[0].attributes, { seats: 7, born: '1906-12-09' });
  });
});
