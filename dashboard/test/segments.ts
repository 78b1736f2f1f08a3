import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Journey } from './journey.ts';

export async function segments(t: TestContext, { open, client, demo }: Journey) {
  await t.test('segments: builds one with a live preview, and saves exactly that rule', async (t) => {
    const { page } = await open(t, '/segments');
    await page.getByRole('link', { name: 'New segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Big in Berlin');
    await page.getByLabel('Value').fill('Berlin');
    await page.getByText('48 contacts').waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'Field, tag or attribute' }).click();
    await page.getByLabel('Field').nth(1).selectOption('Attribute…');
    await page.getByLabel('Attribute name').fill('seats');
    await page.getByLabel('Operator').nth(1).selectOption('is at least');
    await page.getByLabel('Value').nth(1).fill('8');
    await page.getByText('20 contacts').waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'Campaign activity' }).click();
    await page.getByLabel('How often').selectOption('exactly');
    await page.getByLabel('Times').fill('0');
    await page.getByRole('button', { name: 'Create segment' }).click();

    await page.getByRole('heading', { name: 'Big in Berlin' }).waitFor();
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
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Any of', { exact: true }).waitFor();
    assert.ok('any' in (await client.get(`/v2/segments/${made.id}`)).data.definition);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete segment' }).click();
    await page.getByText('Big in Berlin was deleted.').waitFor();
    assert.equal((await client.get(`/v2/segments/${made.id}`)).status, 404);
  });

  await t.test('segments: lists members and explains each membership', async (t) => {
    const { page } = await open(t, `/segments/${demo.berlin.id}`);
    await page.getByText('Tags have “customer”').waitFor();
    await page.getByRole('table', { name: 'Members' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'Why' }).getByText('Value: Berlin').waitFor();

    await page.goBack();
    await page.getByLabel('Email or ID of a contact').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('No contact has the address nobody@example.com.').waitFor();
    await page.getByLabel('Email or ID of a contact').fill('script@example.com');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('region', { name: 'Membership' }).getByText('No', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Why' }).getByText('City is “Berlin”').waitFor();
  });

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
    await page.getByLabel('Archived').check({ force: true });
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
    await page.getByText('Did order_placedd, then not order_placed within 1 day, in the last 30 days').waitFor();
    await page.getByRole('alert').getByText('The account has never tracked an event with the name order_placedd.').waitFor();
    const versions = page.getByRole('region', { name: 'Versions' });
    await versions.getByText('Version 2').waitFor();
    await versions.getByText('Tags have “vip”').waitFor();
  });

  await t.test('segments: shows the error of an invalid rule in the builder', async (t) => {
    const { page } = await open(t, '/segments/new');
    await page.getByRole('button', { name: 'Remove condition' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('menuitem', { name: 'As JSON' }).click();
    await page.getByLabel('Condition as JSON').fill('{"field": "shoe_size", "op": "eq", "value": "42"}');
    await page.getByRole('alert').getByText('Unknown contact field').first().waitFor();
    await page.getByLabel('Condition as JSON').fill('{"field": "company", "op": "eq", "value": "Example GmbH"}');
    await page.getByText(/^[1-9]\d* contacts$/).waitFor();
  });
}
