import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type Found, lookAt } from './accessibility.ts';
import { draftCampaign } from './campaign-editor.ts';
import { backLink, changes, save } from './editor.ts';
import type { Journey } from './journey.ts';
import { testJourneys } from './test-journeys.ts';
import { card, insertStep } from './workflow-editor.ts';

const steps = [{ id: 'tag', type: 'add_tag', tag: 'one' }];
const trigger = { type: 'manual' };

testJourneys('editors save drafts by themselves', drafts, conflicts, liveThings);

async function drafts(t: TestContext, { open, client }: Journey) {
  await t.test('a change of a draft is kept without Save, and typing is not interrupted', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...draftCampaign, name: 'Kept' })).data;
    const { page } = await open(t, `/campaigns/${id}/edit?step=content`);
    const subject = page.getByLabel('Subject', { exact: true });
    await changes(page).getByText('Saved', { exact: true }).waitFor();
    await subject.fill('Kept without Save');
    await changes(page).getByText('Unsaved changes', { exact: true }).waitFor();
    await changes(page).getByText('Saved', { exact: true }).waitFor();
    await subject.and(page.locator(':focus')).waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.subject, 'Kept without Save');
  });

  await t.test('a change is saved when the editor is left, and nothing is asked', async (t) => {
    const { id } = (await client.post('/v2/workflows', { name: 'Left', status: 'draft', trigger, steps })).data;
    const { page } = await open(t, `/workflows/${id}/edit`);
    await card(page, 'tag').waitFor();
    await insertStep(page, 'Insert a step after Add tag', 'Wait');
    await backLink(page).click();
    await page.getByRole('heading', { name: 'Left', exact: true }).waitFor();
    const { data } = await client.get(`/v2/workflows/${id}`);
    assert.deepEqual([data.steps.map(({ type }: { type: string }) => type), data.version], [['add_tag', 'delay'], 1]);
  });

  await t.test('a draft that is not valid is not saved, and its editor asks before it is lost', async (t) => {
    const { id } = (await client.post('/v2/workflows', { name: 'Unfinished', status: 'draft', trigger, steps })).data;
    const { page } = await open(t, `/workflows/${id}/edit`);
    await page.getByLabel('Name', { exact: true }).fill('');
    await changes(page).getByText('Unsaved changes', { exact: true }).waitFor();
    await backLink(page).click();
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Unfinished', exact: true }).waitFor();
    assert.equal((await client.get(`/v2/workflows/${id}`)).data.revision, 1);
  });

  await t.test('activating saves what is typed first', async (t) => {
    const { id } = (await client.post('/v2/workflows', { name: 'Activated', status: 'draft', trigger, steps })).data;
    const { page } = await open(t, `/workflows/${id}/edit`);
    await card(page, 'tag').click();
    await page.getByRole('region', { name: 'Settings' }).getByRole('combobox', { name: 'Tag', exact: true }).fill('two');
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const { data } = await client.get(`/v2/workflows/${id}`);
    assert.deepEqual([data.status, data.steps[0].tag], ['active', 'two']);
  });
}

async function conflicts(t: TestContext, { open, client }: Journey) {
  await t.test('a change that was made elsewhere is never overwritten silently: it is loaded, or overwritten on demand', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...draftCampaign, name: 'Shared' })).data;
    const { page } = await open(t, `/campaigns/${id}/edit?step=content`);
    const subject = page.getByLabel('Subject', { exact: true });
    const stored = async () => (await client.get(`/v2/campaigns/${id}`)).data.subject;
    const dialog = page.getByRole('dialog', { name: 'A newer version was saved' });
    await subject.waitFor();

    await client.put(`/v2/campaigns/${id}`, { subject: 'By another user' });
    await subject.fill('By me');
    await changes(page).getByText('Not saved: changed elsewhere.').waitFor();
    assert.equal(await stored(), 'By another user');
    assert.equal(await dialog.count(), 0, 'nothing takes the focus from what is typed');
    const found: Found = {};
    await lookAt(page, 'changed elsewhere', found, { within: 'main' });
    assert.deepEqual(found, {});
    await changes(page).getByRole('button', { name: 'Compare versions' }).click();
    await dialog.getByRole('row', { name: 'Subject By another user By me' }).waitFor();
    await dialog.getByRole('button', { name: 'Load the newer version' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await subject.inputValue(), 'By another user');
    await changes(page).getByText('Saved', { exact: true }).waitFor();

    await client.put(`/v2/campaigns/${id}`, { subject: 'By another user again' });
    await subject.fill('By me again');
    await changes(page).getByRole('button', { name: 'Compare versions' }).click();
    await dialog.getByRole('button', { name: 'Overwrite with yours' }).click();
    await changes(page).getByText('Saved', { exact: true }).waitFor();
    assert.equal(await stored(), 'By me again');
    await subject.fill('Saved by itself again');
    await eventually(async () => (await stored()) === 'Saved by itself again');
  });
}

async function liveThings(t: TestContext, { open, client, demo }: Journey) {
  await t.test('an active workflow is not changed until Save, which also Ctrl+S does', async (t) => {
    const { page } = await open(t, `/workflows/${demo.tagging.id}/edit`);
    const before = (await client.get(`/v2/workflows/${demo.tagging.id}`)).data;
    assert.equal(before.status, 'active');
    await changes(page).getByText('Saving applies to runs that start from then on.').waitFor();
    await insertStep(page, 'Insert a step after the trigger', 'Wait');
    await backLink(page).click();
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Keep editing' }).click();
    assert.equal((await client.get(`/v2/workflows/${demo.tagging.id}`)).data.revision, before.revision);
    await page.keyboard.press('Control+s');
    await changes(page).getByText('Saved', { exact: true }).waitFor();
    const { version, steps: saved } = (await client.get(`/v2/workflows/${demo.tagging.id}`)).data;
    assert.deepEqual([version, saved.length], [before.version + 1, before.steps.length + 1]);
  });

  await t.test('a segment and a template are changed by Save only, and say so', async (t) => {
    const template = (await client.post('/v2/campaigns/templates', { name: 'Used', subject: 'Hi', html: '<p>Hi</p>' })).data;
    for (const [path, api, effect] of [
      [`/segments/${demo.berlin.id}/edit`, `/v2/segments/${demo.berlin.id}`, 'Saving evaluates every contact again.'],
      [`/campaigns/templates/${template.id}`, `/v2/campaigns/templates/${template.id}`, 'Saving applies wherever it is used.'],
    ] as const) {
      const { page } = await open(t, path);
      await changes(page).getByText(effect).waitFor();
      await page.getByLabel('Name', { exact: true }).fill(`Renamed ${Date.now()}`);
      await backLink(page).click();
      await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Keep editing' }).click();
      const { revision } = (await client.get(api)).data;
      await save(page);
      assert.equal((await client.get(api)).data.revision, revision + 1);
    }
  });

  await t.test('the header of an editor comes first by keyboard', async (t) => {
    const { page } = await open(t, `/workflows/${demo.welcome.id}/edit`);
    await card(page).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await backLink(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Tab');
    await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
  });
}
