import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Journey } from './journey.ts';

export async function workflows(t: TestContext, { open, client, demo }: Journey) {
  await t.test('workflows: read as steps, with how many are where', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'Welcome', exact: true }).click();
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByText('Add the tag “welcomed”').waitFor();
    await steps.getByRole('list', { name: 'Paths of Big team?' }).getByText('seats is at least 8').waitFor();
    await steps.getByText('Wait 3 days').waitFor();
    await steps.getByText('6 waiting').waitFor();
  });

  await t.test('workflows: paused, activated, and begun for one contact, whose way is told', async (t) => {
    const { page } = await open(t, `/workflows/${demo.tagging.id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByLabel('E-mail or id of a contact').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('The account has no such contact.').waitFor();
    await page.getByLabel('E-mail or id of a contact').fill('grace.1@example.com');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('heading', { name: 'Tag everybody who asks for Grace' }).waitFor();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Completed').waitFor();
    const contact = (await client.get('/v2/contacts?email=grace.1@example.com')).data.items[0];
    assert.ok(contact.tags.includes('asked'));
  });
}
