import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { script } from './demo.ts';
import type { Journey } from './journey.ts';

export async function workflows(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('workflows: shows the steps, with the number of contacts at each', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'Welcome', exact: true }).click();
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByText('Add the tag “welcomed”').waitFor();
    await steps.getByRole('list', { name: 'Paths of Big team?' }).getByText('seats is at least 8').waitFor();
    await steps.getByText('Wait 3 days').waitFor();
    await steps.getByText('6 waiting').waitFor();
  });

  await t.test('workflows: edits one as JSON with a diagram and validation errors, and deletes it', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'New workflow' }).click();
    const text = page.getByLabel('Trigger and steps');
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByText('Say hello').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Give the workflow a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill(script);
    await text.fill('{"trigger": ');
    await page.getByText(/JSON/).last().waitFor();
    await steps.getByText('Fix the JSON to see the diagram').waitFor();
    const asks = { type: 'branch', branches: [{ when: { field: 'company', op: 'exists' }, to: 'nowhere' }] };
    await text.fill(JSON.stringify({ trigger: { type: 'manual' }, steps: [{ id: 'asks', ...asks }] }));
    await steps.getByText('Company has a value').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page
      .getByRole('alert')
      .getByText(/nowhere/)
      .first()
      .waitFor();
    await text.fill(JSON.stringify({ trigger: { type: 'manual' }, steps: [{ id: 'out', type: 'exit' }] }));
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { name: script }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2];
    assert.equal((await client.get(`/v2/workflows/${id}`)).data.status, 'draft');

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Out again');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Out again', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete workflow' }).click();
    await page.getByText('Out again was deleted.').waitFor();
    assert.equal((await client.get(`/v2/workflows/${id}`)).status, 404);
  });

  await t.test('workflows: simulates a run without a contact, with one, and with a failing step', async (t) => {
    const { page } = await open(t, `/workflows/${demo.welcome.id}`);
    await page.getByRole('link', { name: 'Simulate' }).click();
    const way = page.getByRole('region', { name: 'Path' });
    const done = page.getByRole('list', { name: 'Effects' });
    const ends = page.getByRole('region', { name: 'Outcome' });
    await page.getByRole('button', { name: 'Simulate' }).click();
    await ends.getByText('in 3 days').waitFor();
    await done.getByText('Email “How is it going, ?” from news@example.com').waitFor();
    assert.equal(await done.getByText('Set source to "welcome"').count(), 0);
    await page.getByLabel('Big team?').selectOption('seats is at least 8');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await done.getByText('Set source to "welcome"').waitFor();
    await page.getByLabel('Big team?').selectOption('');
    await page.getByLabel('Contact', { exact: true }).fill('nobody@example.com');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('alert').getByText('No contact has the address').waitFor();
    await page.getByLabel('Contact', { exact: true }).fill('ada.0@example.com');
    await page.getByRole('combobox', { name: 'Steps that fail' }).click();
    await page.getByRole('option', { name: 'Send email' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await way
      .getByText(/Send email: .*[Rr]efused/)
      .first()
      .waitFor();
    const { data } = await client.get(`/v2/workflows/${demo.welcome.id}/analytics`);
    assert.equal(data.counts.entered, 6, 'a simulation enrolls no contacts');
  });

  await t.test('workflows: lists the changes of each version', async (t) => {
    const { page } = await open(t, `/workflows/${demo.tagging.id}`);
    await page.getByRole('link', { name: /^Version/ }).click();
    const second = page.getByRole('region', { name: 'Version 2', exact: true });
    await second.getByText('Added step “Wait a moment”').waitFor();
    await second.getByText('Show steps').click();
    await second.getByText('Wait 1 second').waitFor();
    await page.getByRole('region', { name: 'Version 1', exact: true }).getByText('First version').waitFor();
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
