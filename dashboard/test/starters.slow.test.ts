import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from '../../tests/platform.ts';
import { starters } from '../src/email-design/starters.ts';
import { segmentStarters } from '../src/segments/segment-starters.ts';
import { type Recipe, recipes } from '../src/workflows/recipes/recipes.ts';
import { type Found, lookAt } from './accessibility.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

test('what a marketer can start from', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);
  const client = await platform.client('--permission', 'admin');
  const { id: contactId } = (await client.post('/v2/contacts', { email: 'ada@example.com', first_name: 'Ada' })).data;

  await t.test('a recipe asks for the default sender, which its emails need', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('button', { name: 'Start from a recipe' }).click();
    await page.getByText('Recipes send from your default sender').waitFor();
  });

  const default_sender = { email: 'news@example.com', name: 'News', reply_to: null };
  assert.equal((await client.put('/v2/campaigns/settings', { default_sender })).status, 200);

  const asksForSegment = ({ trigger }: Recipe) => 'segment' in trigger && trigger.segment === null;
  for (const { id, name, steps } of recipes.filter((recipe) => !asksForSegment(recipe)))
    await t.test(`one click on ${name} makes a draft that can be simulated and activated, with its emails and segment`, async (t) => {
      const { page } = await open(t, '/workflows');
      await page.getByRole('button', { name: 'Start from a recipe' }).click();
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      await page.waitForURL(/\/workflows\/workflow_\w+\/edit/);
      const workflowId = /workflow_\w+/.exec(page.url())?.[0];
      const { data: workflow } = await client.get(`/v2/workflows/${workflowId}`);
      assert.deepEqual([workflow.status, workflow.steps.length], ['draft', steps.length], id);
      const simulated = await client.post(`/v2/workflows/${workflowId}/simulate`, { contact_id: contactId });
      assert.equal(simulated.status, 200, simulated.text);
      const { messages, notifications } = simulated.data;
      const emails = steps.filter(({ type }) => type === 'send' || type === 'notify');
      assert.equal(messages.length + notifications.length, emails.length, simulated.text);
      if (workflow.trigger.segment_id)
        await eventually(async () => (await client.get(`/v2/segments/${workflow.trigger.segment_id}`)).data.status === 'ready');
      const activated = await client.post(`/v2/workflows/${workflowId}/activate`);
      assert.equal(activated.status, 200, activated.text);
    });

  for (const { name, steps } of recipes.filter(asksForSegment))
    await t.test(`${name} asks for its segment, which is created in place, and is then ready to be activated`, async (t) => {
      const { page } = await open(t, '/workflows');
      await page.getByRole('button', { name: 'Start from a recipe' }).click();
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      await page.waitForURL(/\/workflows\/new/);
      await page.getByRole('button', { name: 'New segment', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'New segment' });
      await dialog.getByRole('combobox', { name: 'Value' }).fill('Berlin');
      await dialog.getByRole('button', { name: 'Add condition' }).click();
      await page.getByRole('menuitem', { name: 'Orders', exact: true }).click();
      await dialog.getByText('who did “Order placed” at least once in the last 30 days.').waitFor();
      const found: Found = {};
      await lookAt(page, 'new segment', found, { within: '[role=dialog]' });
      assert.deepEqual(found, {});
      // The name says what the conditions say, and may stay.
      const named = 'People whose city is “Berlin” and who did “Order placed” at least once in the last 30 days';
      assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), named);
      await dialog.getByRole('button', { name: 'Create segment' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(`When a contact enters the segment “${named}”`).waitFor();
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.waitForURL(/\/workflows\/workflow_\w+\/edit/);
      const workflowId = /workflow_\w+/.exec(page.url())?.[0];
      const { data: workflow } = await client.get(`/v2/workflows/${workflowId}`);
      const [segment] = (await client.get(`/v2/segments?name=${encodeURIComponent(named)}`)).data.items;
      assert.deepEqual([workflow.name, workflow.steps.length, workflow.trigger.segment_id], [name, steps.length, segment.id]);
      await eventually(async () => (await client.get(`/v2/segments/${segment.id}`)).data.status === 'ready');
      const activated = await client.post(`/v2/workflows/${workflowId}/activate`);
      assert.equal(activated.status, 200, activated.text);
    });

  await t.test('the gallery is reached by keyboard and accessible, and a recipe can be used twice', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('button', { name: 'Start from a recipe' }).press('Enter');
    const found: Found = {};
    await page.getByRole('button', { name: /^Welcome series/ }).waitFor();
    await lookAt(page, 'recipes', found, { within: '[role=dialog]' });
    assert.deepEqual(found, {});
    await page.getByRole('button', { name: /^Win-back/ }).press('Enter');
    await page.waitForURL(/\/edit/);
    assert.equal((await client.get('/v2/segments?name=Lapsed%20customers')).data.items.length, 1);
  });

  for (const { name, definition } of segmentStarters)
    await t.test(`one click on ${name} makes that segment, or opens the one that is there`, async (t) => {
      const { page } = await open(t, '/segments');
      await page.getByRole('button', { name: 'Start from an example' }).click();
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      await page.waitForURL(/\/segments\/segment_\w+/);
      const { data } = await client.get(`/v2/segments/${/segment_\w+/.exec(page.url())?.[0]}`);
      assert.deepEqual([data.name, data.definition], [name, definition]);
    });

  await t.test('every starter email has a picture in the colors of the brand', async (t) => {
    const { page } = await open(t, '/campaigns/templates');
    await page.getByRole('button', { name: 'Start from an example' }).click();
    const pictures = page.locator('iframe[title=Preview]');
    await pictures.nth(starters.length - 1).waitFor({ state: 'attached' });
    for (const [index, { subject, content }] of starters.entries()) {
      await pictures.nth(index).scrollIntoViewIfNeeded();
      const [heading] = content;
      const expected = heading?.content?.find(({ type }) => type === 'text')?.text ?? subject;
      await pictures.nth(index).contentFrame().getByText(expected.trim()).first().waitFor();
    }
    const found: Found = {};
    await lookAt(page, 'emails', found, { within: '[role=dialog]' });
    assert.deepEqual(found, {});
  });
});
