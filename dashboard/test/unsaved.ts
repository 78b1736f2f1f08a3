import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { assertDrawnWhole } from './drawn.ts';
import { backLink } from './editor.ts';
import { editorOf } from './emails.ts';
import type { Journey } from './journey.ts';

/** Every editor page: the page it is opened from, and the link that opens it. */
const editors: readonly { of: string; from: (demo: Journey['demo']) => string; link: string }[] = [
  { of: 'a new contact', from: () => '/contacts', link: 'New contact' },
  { of: 'a contact', from: ({ ada }) => `/contacts/${ada.id}`, link: 'Edit' },
  { of: 'a new segment', from: () => '/segments', link: 'New segment' },
  { of: 'a segment', from: ({ berlin }) => `/segments/${berlin.id}`, link: 'Edit' },
  { of: 'a new form', from: () => '/contacts/forms', link: 'New form' },
  { of: 'a new campaign', from: () => '/campaigns', link: 'New campaign' },
  { of: 'a new template', from: () => '/campaigns/templates', link: 'New template' },
  { of: 'a new workflow', from: () => '/workflows', link: 'New workflow' },
  { of: 'a workflow', from: ({ welcome }) => `/workflows/${welcome.id}`, link: 'Edit' },
];

export async function unsaved(t: TestContext, { open, demo, platform }: Journey) {
  for (const { of, from, link } of editors) {
    await t.test(`asks before unsaved edits of ${of} are lost: on the way out, Back and closing the tab`, async (t) => {
      const { page } = await open(t, from(demo));
      await page.getByRole('link', { name: link, exact: true }).click();
      const field = page.getByLabel(/^(Name|First name)$/).first();
      await field.fill('Not saved');
      await asksBeforeLosing(page, field, platform.url + from(demo));
    });
  }

  await t.test('asks before a step that was drawn is lost, and not when it was undone', async (t) => {
    const { page } = await open(t, `/workflows/${demo.welcome.id}/edit`);
    await page.getByRole('button', { name: 'Insert a step after Say hello', exact: true }).click();
    await page.getByRole('option').getByText('Split', { exact: true }).click();
    await page.locator('[data-card="step:split"]').waitFor();
    await assertDrawnWhole(page);
    assert.equal(await closingIsStopped(page), true);
    await backLink(page).click();
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Keep editing' }).click();
    await page.locator('[data-card="step:split"]').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('[data-card="step:split"]').waitFor({ state: 'detached' });
    await assertDrawnWhole(page);
    assert.equal(await closingIsStopped(page), false);
    await backLink(page).click();
    await page.waitForURL(`${platform.url}/workflows/${demo.welcome.id}`);
  });

  await t.test('asks before the file and the columns of an import are lost: on Cancel, Back and closing the tab', async (t) => {
    const { page } = await open(t, '/contacts/imports');
    await page.getByRole('link', { name: 'New import' }).click();
    const csv = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('Email,Seats\nmary@example.org,12\n') };
    await page.locator('input[type=file]').setInputFiles(csv);
    const field = page.getByLabel('Field for Seats');
    await field.selectOption('Attribute');
    await asksBeforeLosing(page, field, `${platform.url}/contacts/imports`);
  });

  await t.test('asks before an email that was written in the editor is lost', async (t) => {
    const { page } = await open(t, '/campaigns/new?step=content');
    const text = editorOf(page);
    await text.click();
    await page.keyboard.type('Not saved');
    await backLink(page).click();
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Keep editing' }).click();
    await text.getByText('Not saved').waitFor();
    assert.equal(await closingIsStopped(page), true);
    await backLink(page).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });

  await t.test('keeps the edits of a draft that is sent from elsewhere in the meantime', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.draft.id}/edit`);
    const field = page.getByLabel('Name', { exact: true });
    await field.waitFor();
    // The page refetches the campaign automatically, and saves it automatically.
    await page.route(`**/v2/campaigns/${demo.draft.id}`, async (route) => {
      const error = { code: 'INVALID_STATE', message: 'The campaign is being sent.' };
      if (route.request().method() === 'PUT') return route.fulfill({ status: 409, json: { success: false, error } });
      const response = await route.fetch();
      const json = await response.json();
      json.data.status = 'sending';
      await route.fulfill({ response, json });
    });
    await field.fill('Not saved');
    await page.getByText('Only a draft can be changed.').waitFor();
    assert.equal(await field.inputValue(), 'Not saved');
    await backLink(page).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
  });

  await t.test('a form takes no edits while it saves, and gives the focus back if saving fails', async (t) => {
    const { page } = await open(t, `/contacts/${demo.ada.id}/edit`);
    const field = page.getByLabel('Email', { exact: true });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/v2/contacts/${demo.ada.id}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await released;
      await route.continue();
    });
    await field.fill('not an address');
    await field.press('Enter');
    await page.locator('form[aria-busy=true]').waitFor();
    assert.equal(await field.isDisabled(), true);
    release();
    await page.locator('form[aria-busy=false]').waitFor();
    assert.equal(await field.evaluate((element) => element === document.activeElement), true);
    await page.unroute(`**/v2/contacts/${demo.ada.id}`);
  });

  await t.test('Escape closes an unchanged dialog and keeps a changed one', async (t) => {
    const { page } = await open(t, '/contacts/suppressions');
    const dialog = page.getByRole('dialog', { name: 'Suppress an address or a domain' });
    const suppress = page.getByRole('button', { name: 'Suppress', exact: true });
    await suppress.click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await suppress.click();
    await dialog.getByLabel('Note').fill('Not saved');
    await page.keyboard.press('Escape');
    assert.equal(await closingIsStopped(page), true);
    assert.equal(await dialog.getByLabel('Note').inputValue(), 'Not saved');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await suppress.click();
    assert.equal(await dialog.getByLabel('Note').inputValue(), '');
  });

  await t.test('asks before an unsaved account name is lost', async (t) => {
    const { page } = await open(t, '/settings/account');
    const name = page.getByLabel('Account name');
    await name.fill('Not saved');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await name.inputValue(), 'Not saved');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  await t.test('asks before signing out loses unsaved edits', async (t) => {
    const { page } = await open(t, '/contacts/new');
    const name = page.getByLabel('First name', { exact: true });
    await name.fill('Not saved');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog', { name: 'Sign out without saving?' }).getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await name.inputValue(), 'Not saved');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
  });

  await t.test('leaves an unchanged form without asking', async (t) => {
    const { page } = await open(t, `/contacts/${demo.ada.id}/edit`);
    await page.getByLabel('First name').waitFor();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.waitForURL(`${platform.url}/contacts/${demo.ada.id}`);
  });
}

/** Tries to leave with an unsaved field: keeps editing on Cancel and Back, then discards the changes, which leads to `from`. */
async function asksBeforeLosing(page: Page, field: Locator, from: string) {
  const edited = await field.inputValue();
  assert.equal(await closingIsStopped(page), true);

  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  const leave = backLink(page).or(page.getByRole('link', { name: 'Cancel' }));
  await leave.click();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  await page.evaluate(() => window.history.back());
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.equal(await field.inputValue(), edited);

  await leave.click();
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForURL(from);
  assert.equal(await closingIsStopped(page), false);
}

const closingIsStopped = (page: Page) => page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
