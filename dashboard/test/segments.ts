import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Found, lookAt } from './accessibility.ts';
import { backLink, save } from './editor.ts';
import type { Journey } from './journey.ts';

export async function segments(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('segments: builds one with a live preview, and saves exactly that rule', async (t) => {
    const { page } = await open(t, '/segments');
    const rejected: number[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/v2/segments/preview') && !response.ok()) rejected.push(response.status());
    });
    await page.getByRole('link', { name: 'New segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Big in Berlin');
    await page.getByRole('combobox', { name: 'Value' }).fill('Berl');
    await page.getByRole('option', { name: 'Berlin' }).click();
    await page.getByText('People whose city is “Berlin”.').waitFor();
    await page.getByText('48 contacts').waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'Field, tag or attribute' }).click();
    await page.getByLabel('Field').nth(1).selectOption('Attribute…');
    await page.getByLabel('Attribute name').fill('seats');
    await page.getByLabel('Operator').nth(1).getByText('contains').waitFor({ state: 'detached' });
    await page.getByLabel('Operator').nth(1).selectOption('is at least');
    await page.getByRole('textbox', { name: 'Value' }).fill('8');
    await page.getByText('20 contacts').waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'Campaign activity' }).click();
    await page.getByLabel('How often').selectOption('exactly');
    await page.getByLabel('Times').fill('0');
    await page.getByRole('button', { name: 'Create segment' }).click();

    await page.getByRole('heading', { name: 'Big in Berlin' }).waitFor();
    assert.deepEqual(rejected, [], 'no rule is previewed while it is incomplete');
    await page.getByText('City is “Berlin”').waitFor();
    await page.getByText('Any campaign: opened 0 times in the last 30 days').waitFor();
    const made = (await client.get('/v2/segments?name=Big%20in%20Berlin')).data.items[0];
    assert.deepEqual(made.definition, {
      all: [
        { field: 'address.city', op: 'eq', value: 'Berlin' },
        { field: 'attributes.seats', op: 'gte', value: 8 },
        { campaign: 'any', activity: 'opened', count: { eq: 0 }, in_last: 'P30D' },
      ],
    });

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Match all, any or none').selectOption('Any of these');
    await save(page);
    await backLink(page).click();
    await page.getByText('Any of', { exact: true }).waitFor();
    assert.ok('any' in (await client.get(`/v2/segments/${made.id}`)).data.definition);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete segment' }).click();
    await page.getByText('Big in Berlin was deleted.').waitFor();
    assert.equal((await client.get(`/v2/segments/${made.id}`)).status, 404);
  });

  await t.test('segments: says up to when the members are up to date while changes wait, and nothing otherwise', async (t) => {
    const path = `/v2/segments/${demo.berlin.id}`;
    const segment = (await client.get(path)).data;
    const until = `${new Date().toISOString().slice(0, 11)}00:00:30.000Z`;
    let backlog: object | null = { up_to_date_until: until };
    const { page } = await open(t, '/segments');
    await page.route(`**${path}?include=backlog`, (route) => route.fulfill({ json: { success: true, data: { ...segment, backlog } } }));
    await page.locator(`a[href$="/segments/${demo.berlin.id}"]`).first().click();
    await page.getByText(/^Up to date until /).waitFor();
    backlog = null;
    await page.getByText(/^Up to date until /).waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Members', exact: true }).waitFor();
  });

  await t.test('segments: a preview that needs several requests says that it is still counting, and then the exact count', async (t) => {
    const { page } = await open(t, `/segments/${demo.berlin.id}/edit`);
    const response = (await client.post('/v2/segments/preview', { definition: { field: 'tags', op: 'contains', value: 'customer' } })).data;
    let resume = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    await page.route('**/v2/segments/preview**', async (route) => {
      const isFirst = !route.request().url().includes('cursor=');
      if (!isFirst) await paused;
      const part = isFirst
        ? { count: 0, exact: false, at_least: 0, at_most: 4_700, scanned: 5_300, progress: 0.53, next_cursor: 'rest', samples: [] }
        : { count: 10, exact: true, at_least: 10, at_most: 10, scanned: 10_000, progress: 1, next_cursor: null };
      await route.fulfill({ json: { success: true, data: { ...response, ...part } } });
    });
    const preview = page.getByRole('region', { name: 'Preview' });
    await page.goto(`${platform.url}/segments/${demo.berlin.id}/edit`);
    await preview.getByText('Still counting…').waitFor();
    await preview.getByText('0 matches in the first 53% of contacts.').waitFor();
    await preview.getByRole('progressbar', { name: 'Counting contacts' }).waitFor();
    assert.equal(await preview.getByText('4,700').count(), 0);
    const found: Found = {};
    await lookAt(page, 'still counting', found, { within: 'main' });
    assert.deepEqual(found, {});
    resume();
    await preview.getByText('10 contacts', { exact: true }).waitFor();
    await preview.getByRole('link').first().waitFor();
  });

  await t.test('segments: lists members and explains each membership', async (t) => {
    const { page } = await open(t, `/segments/${demo.berlin.id}`);
    await page.getByText('Tags have “customer”').waitFor();
    await page.getByRole('table', { name: 'Members' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'View contact' }).click();
    await page.getByRole('region', { name: 'Segments' }).getByRole('link', { name: 'Customers in Berlin' }).click();
    await page.getByRole('region', { name: 'Why' }).getByText('Value: Berlin').waitFor();

    await page.goto(`${platform.url}/segments/${demo.berlin.id}`);
    await page.getByLabel('Email or ID of a contact').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('No contact has the address nobody@example.com.').waitFor();
    await page.getByLabel('Email or ID of a contact').fill('script@example.com');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('region', { name: 'Membership' }).getByText('No', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Why' }).getByText('City is “Berlin”').waitFor();
  });

  await t.test('segments: suggests events, their properties and values, tags and days, and says the rule in a sentence', async (t) => {
    const { page } = await open(t, '/segments/new');
    const add = async (kind: string) => {
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByRole('menuitem', { name: kind, exact: true }).click();
    };
    await page.getByLabel('Field').selectOption('Tags');
    await page.getByLabel('Operator').selectOption('have');
    await page.getByRole('combobox', { name: 'Value' }).fill('cus');
    await page.getByRole('option', { name: 'customer' }).click();
    await add('Another event');
    await page.getByRole('combobox', { name: 'Event' }).fill('ord');
    await page.getByRole('option', { name: 'order_placed' }).click();
    await page.getByLabel('Times').fill('2');
    await page.getByText('People whose tags have “customer” and who did “Order placed” at least 2 times in the last 30 days.').waitFor();
    await add('Date');
    await page.getByLabel('Operator').nth(1).selectOption('was after');
    await page.getByRole('textbox', { name: 'Day' }).fill('2026-01-31');
    await page.keyboard.press('Tab');
    await page.getByText('and who were created after 2026-01-31.').waitFor();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    const found: Found = {};
    await lookAt(page, 'segment editor', found, { within: 'main' });
    assert.deepEqual(found, {});
  });

  await t.test('segments: a sequence is built with fields, and opens with fields again', async (t) => {
    const { page } = await open(t, '/segments/new');
    const step = (name: string) => page.getByRole('group', { name, exact: true });
    const eventOf = (name: string) => step(name).getByRole('combobox', { name: 'Event', exact: true });
    const within = page.getByRole('textbox', { name: 'Within this time after the first event' });
    await page.getByLabel('Name', { exact: true }).fill('Left carts');
    await page.getByRole('button', { name: 'Remove condition' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'Events in order' }).click();
    await eventOf('Event 1').fill('checkout_started');
    await eventOf('Event 2').fill('added_to_cart');
    await step('Event 2').getByRole('button', { name: 'Add property filter' }).click();
    await step('Event 2').getByRole('combobox', { name: 'Property', exact: true }).fill('total');
    await step('Event 2').getByRole('combobox', { name: 'Property operator' }).selectOption('is at least');
    await step('Event 2').getByRole('combobox', { name: 'Property value' }).fill('50');
    await step('Event 2').getByRole('button', { name: 'Move up' }).press('Enter');
    await step('Event 1').getByRole('button', { name: 'Move down' }).and(page.locator(':focus')).waitFor();
    assert.deepEqual([await eventOf('Event 1').inputValue(), await eventOf('Event 2').inputValue()], ['added_to_cart', 'checkout_started']);
    await page.getByRole('button', { name: 'Add event that must not follow' }).click();
    await eventOf('Event that must not follow').fill('ord');
    await page.getByRole('option', { name: 'order_placed' }).click();

    await page.getByLabel('First event in the last').selectOption('1 hour');
    await within.fill('12');
    await page.getByLabel('Within this time after the first event, unit').selectOption('hours');
    await within.and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('First event in the last').selectOption('14 days');
    await within.and(page.locator(':not([aria-invalid=true])')).waitFor();
    const words =
      '“Added to cart” with total is at least 50, then “Checkout started”, then not “Order placed” within 12 hours, in the last 14 days';
    await page.getByText(`People who did ${words}.`).waitFor();
    const found: Found = {};
    await lookAt(page, 'sequence editor', found, { within: 'main' });
    assert.deepEqual(found, {});
    await page.getByRole('button', { name: 'Create segment' }).click();

    await page.getByText(`Did ${words}`, { exact: true }).waitFor();
    const made = (await client.get('/v2/segments?name=Left%20carts')).data.items[0];
    const cart = { event: 'added_to_cart', where: { 'properties.total': { gte: 50 } } };
    const sequence = [cart, { event: 'checkout_started' }, { not_event: 'order_placed' }];
    assert.deepEqual(made.definition, { all: [{ sequence, within: 'PT12H', in_last: 'P14D' }] });

    await page.getByRole('link', { name: 'Edit' }).click();
    assert.equal(await eventOf('Event that must not follow').inputValue(), 'order_placed');
    await step('Event 2').getByRole('button', { name: 'Remove event' }).click();
    await save(page);
    await backLink(page).click();
    await page.getByText(`Did ${words.replace(', then “Checkout started”', '')}`, { exact: true }).waitFor();
    const { definition } = (await client.get(`/v2/segments/${made.id}`)).data;
    assert.deepEqual(definition, { all: [{ sequence: [cart, { not_event: 'order_placed' }], within: 'PT12H', in_last: 'P14D' }] });
  });

  await t.test('segments: sends a campaign to one from its page', async (t) => {
    const { page } = await open(t, `/segments/${demo.berlin.id}`);
    await page.getByRole('link', { name: 'Send a campaign' }).click();
    await page.getByRole('heading', { name: 'New campaign' }).waitFor();
    await page.locator('.mantine-Pill-root').getByText('Customers in Berlin').waitFor();
    assert.equal(await page.locator('.mantine-Pill-root').count(), 1);
  });

  await t.test('segments: shows the error of an invalid rule in the builder', async (t) => {
    const { page } = await open(t, '/segments/new');
    await page.getByRole('button', { name: 'Remove condition' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'As JSON' }).click();
    await page.getByLabel('Condition as JSON').fill('{"field": "shoe_size", "op": "eq", "value": "42"}');
    await page.getByRole('alert').getByText('Unknown contact field').first().waitFor();
    await page.getByLabel('Condition as JSON').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('Condition as JSON').fill('{"field": "company", "op": "eq", "value": "Example GmbH"}');
    await page.getByText(/^[1-9]\d* contacts$/).waitFor();

    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'Field, tag or attribute' }).click();
    await page.getByLabel('Field').selectOption('Attribute…');
    await page.getByLabel('Attribute name').fill('seats');
    await page.getByLabel('Operator').selectOption('is between');
    const low = page.getByRole('textbox', { name: 'Lower bound' });
    await low.fill('8');
    await page.getByText('Complete every condition to preview the contacts.').waitFor();
    await page.getByRole('textbox', { name: 'Upper bound' }).fill('5');
    await low.and(page.locator('[aria-invalid=true]')).waitFor();
    await low.fill('4');
    await low.and(page.locator(':not([aria-invalid=true])')).waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'Date' }).click();
    await page.getByLabel('Date', { exact: true }).selectOption('Attribute…');
    const date = page.getByLabel('Attribute name').nth(1);
    await date.fill('seats');
    await date.and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByText('seats is a number in this account, not a date.').first().waitFor();
  });

  await t.test('segments: finds them by words of the name, and keeps that in the URL', async (t) => {
    const { page } = await open(t, '/segments');
    await page.getByRole('link', { name: 'Big teams' }).waitFor();
    await page.getByRole('searchbox').fill('berl');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: 'Big teams' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Segment', exact: true }).click();
    await page.reload();
    await page.getByRole('link', { name: 'Customers in Berlin' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Big teams' }).count(), 0);
    await page.getByRole('searchbox').fill('nothing');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('No segments match this search.').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('link', { name: 'Big teams' }).waitFor();
  });
}
