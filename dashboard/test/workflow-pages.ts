import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Journey } from './journey.ts';
import { card } from './workflow-editor.ts';

export async function workflowPages(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('workflows: shows the steps, with the number of contacts at each, and lists the runs at the selected one', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'Welcome', exact: true }).click();
    const steps = page.getByRole('region', { name: 'Steps' }).last();
    await steps.getByText('Add the tag “welcomed”').waitFor();
    await steps.getByText('seats is at least 8').waitFor();
    await card(page, 'wait').getByText('3 days').waitFor();
    await card(page, 'wait').getByText('6 waiting').waitFor();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByRole('link').first().waitFor();
    await steps.getByRole('button', { name: 'Show all' }).click();
    await card(page, 'mail').click();
    await runs.getByText('No runs match these filters.').waitFor();
    await card(page, 'wait').click();
    await runs.getByRole('link').nth(5).waitFor();
    assert.equal(await page.getByLabel('At step', { exact: true }).inputValue(), 'wait');
  });

  await t.test('workflows: finds them by words of the name, and keeps that in the URL', async (t) => {
    const { page } = await open(t, '/workflows');
    const other = page.getByRole('link', { name: 'Tag everybody who asks' });
    await other.waitFor();
    await page.getByRole('searchbox').fill('welc');
    await page.getByRole('searchbox').press('Enter');
    await other.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Welcome', exact: true }).waitFor();
    assert.equal(await other.count(), 0);
    await page.getByRole('searchbox').fill('nothing');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('No workflows match these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await other.waitFor();
  });

  await t.test('workflows: pauses and activates one, enrolls a contact and shows its run', async (t) => {
    const { page } = await open(t, `/workflows/${demo.tagging.id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByLabel('Email or ID of a contact').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Enroll' }).click();
    await page.getByText('The account has no such contact.').waitFor();
    await page.getByLabel('Email or ID of a contact').fill('grace.1@example.com');
    await page.getByRole('button', { name: 'Enroll' }).click();
    await page.getByRole('heading', { name: 'Tag everybody who asks for Grace' }).waitFor();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Completed').waitFor();
    await card(page, 'tag').and(page.locator('[data-lit]')).waitFor();
    const contact = (await client.get('/v2/contacts?email=grace.1@example.com')).data.items[0];
    assert.ok(contact.tags.includes('asked'));
  });

  await t.test('workflows: names the template error of an email that could not be rendered, and links to the failed run', async (t) => {
    const html = '<p>{% for number in (1..9000000) %}{% endfor %}</p>';
    const steps = [{ id: 'mail', type: 'send', subject: 'Numbers', from: { email: 'news@example.com' }, html }];
    const { id } = (await client.post('/v2/workflows', { name: 'Numbers', trigger: { type: 'manual' }, steps })).data;
    await client.post(`/v2/workflows/${id}/trigger`, { contact_id: demo.ada.id });
    const { run_id, reason } = await eventually(async () => (await client.get(`/v2/workflows/${id}`)).data.last_failure ?? false);
    assert.match(reason, /cannot be rendered.*\/html: memory/);
    const { page } = await open(t, `/workflows/${id}`);
    const notice = page.getByRole('note').filter({ hasText: 'A run failed' });
    await notice.getByText(reason).waitFor();
    await notice.getByRole('link', { name: 'Open the run to retry it' }).click();
    await page.waitForURL(`${platform.url}/workflows/runs/${run_id}`);
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Failed').waitFor();
  });
}
