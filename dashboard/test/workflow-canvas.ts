import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Locator } from 'playwright-core';
import { assertDrawnWhole } from './drawn.ts';
import { backLink } from './editor.ts';
import type { Journey } from './journey.ts';
import { tabTo, tabToGroup } from './keyboard.ts';
import { card, insertStep, simulateAndActivate, writeEmailHtml } from './workflow-editor.ts';

export async function workflowCanvas(t: TestContext, { open, client, demo }: Journey) {
  await t.test('workflows: draws five steps with a branch by mouse, simulates and activates them', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'New workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Drawn by mouse');
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByLabel('Starts when').selectOption('Only through the API, or manually');
    await insertStep(page, 'Insert a step after the trigger', 'Wait');
    await settings.getByLabel('Length', { exact: true }).fill('2');
    await card(page, 'delay').getByText('2 days').waitFor();
    await insertStep(page, 'Insert a step after Wait', 'Branch');
    await settings.getByLabel('Value').fill('customer');
    await page.getByRole('region', { name: 'Canvas' }).getByText('Tags have “customer”').waitFor();
    await insertStep(page, 'Insert a step after Branch, path 1', 'Send email');
    await insertStep(page, 'Insert a step after Branch, path 2', 'Add tag');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Send email: Choose a template.' }).click();
    await settings.getByText('Choose a template.').waitFor();
    await writeEmailHtml(settings);
    await settings.getByLabel('Subject').fill('Thank you, {{ contact.first_name }}');
    await settings.getByLabel('Email', { exact: true }).fill('<p>Thank you, {{ contact.first_name }}!</p>');
    await settings.getByRole('combobox', { name: 'From address' }).fill('news@example.com');
    await card(page, 'add_tag').click();
    await settings.getByRole('combobox', { name: 'Tag', exact: true }).fill('not-yet');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await simulateAndActivate(page, client, 'Drawn by mouse', {
      press: (locator) => locator.click(),
      type: (field, text) => field.fill(text),
    });
  });

  await t.test('workflows: a click of matching contacts starts a run, whose email waits for the cap and has two variants', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'New workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Tested by click');
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByLabel('Starts when').selectOption('A link in an email is clicked');
    await settings.getByLabel('Link').fill('https://shop.example.com/sale');
    await settings.getByLabel('Only contacts that match conditions').check();
    await settings.getByLabel('Value').fill('customer');
    await insertStep(page, 'Insert a step after the trigger', 'Send email');
    await writeEmailHtml(settings);
    await settings.getByLabel('Subject').fill('First');
    await settings.getByLabel('Email', { exact: true }).fill('<p>Hi</p>');
    await settings.getByRole('combobox', { name: 'From address' }).fill('news@example.com');
    await settings.getByLabel('When the frequency cap is reached').selectOption('Wait until it is allowed, for up to 7 days');
    await settings.getByRole('button', { name: 'Test variants' }).click();
    await settings.getByLabel('Percentage of variant 1').fill('70');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await settings.getByText('The percentages add up to 120; they must add up to 100.').waitFor();
    await settings.getByLabel('Percentage of variant 2').fill('30');
    await settings.getByLabel('Subject').nth(2).fill('Second');
    await card(page, 'send').getByText('“First”, in 2 variants').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { name: 'Edit Tested by click', exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2];
    const { trigger, steps } = (await client.get(`/v2/workflows/${id}`)).data;
    const when = { all: [{ field: 'tags', op: 'contains', value: 'customer' }] };
    assert.deepEqual(trigger, { type: 'message_clicked', url: 'https://shop.example.com/sale', when });
    const [{ when_capped, variants }] = steps;
    const expected = [
      { name: 'A', weight: 70 },
      { name: 'B', weight: 30, subject: 'Second' },
    ];
    assert.deepEqual([when_capped, variants], ['wait', expected]);
    await page.getByRole('link', { name: 'Simulate' }).click();
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page
      .getByRole('list', { name: 'Emails' })
      .getByText(/variant [AB]/)
      .waitFor();
  });

  await t.test('workflows: draws five steps with a branch by keyboard alone, simulates and activates them', async (t) => {
    const { page } = await open(t, '/workflows');
    const { keyboard } = page;
    const canvas = page.getByRole('region', { name: 'Canvas' });
    const settings = page.getByRole('region', { name: 'Settings' });
    const press = async (locator: Locator) => {
      await tabTo(page, locator);
      await keyboard.press('Enter');
    };
    const type = async (field: Locator, text: string) => {
      await tabTo(page, field);
      await keyboard.press('Control+A');
      await keyboard.insertText(text);
    };
    /** Inserts a step with the menu that is open. */
    const choose = async (name: string, id: string) => {
      await page.getByLabel('Search steps').and(page.locator(':focus')).waitFor();
      await keyboard.type(name);
      await page.locator('[role="option"][data-combobox-selected]').getByText(name, { exact: true }).waitFor();
      await keyboard.press('Enter');
      await card(page, id).and(page.locator(':focus')).waitFor();
      await assertDrawnWhole(page);
    };
    const back = async (id: string) => {
      await keyboard.press('Escape');
      await card(page, id).and(page.locator(':focus')).waitFor();
    };
    await press(page.getByRole('link', { name: 'New workflow' }));
    await card(page).waitFor();
    await type(page.getByLabel('Name', { exact: true }), 'Drawn by keyboard');
    await tabTo(page, card(page));
    await keyboard.press('Enter');
    await settings.getByLabel('Starts when').and(page.locator(':focus')).waitFor();
    await keyboard.type('Only');
    await back('');
    await keyboard.press('/');
    await choose('Wait', 'delay');
    await keyboard.press('/');
    await choose('Branch', 'branch');
    await keyboard.press('Enter');
    await type(settings.getByLabel('Value'), 'customer');
    await back('branch');
    await keyboard.press('/');
    await choose('Send email', 'send');
    await keyboard.press('Enter');
    await tabToGroup(page, settings.getByRole('radiogroup', { name: 'Content' }));
    await keyboard.press('ArrowRight');
    await type(settings.getByLabel('Subject'), 'Thank you, {{ contact.first_name }}');
    await type(settings.getByLabel('Email', { exact: true }), '<p>Thank you, {{ contact.first_name }}!</p>');
    await type(settings.getByRole('combobox', { name: 'From address' }), 'news@example.com');
    await back('send');
    await press(canvas.getByRole('button', { name: 'Insert a step after Branch, path 2' }));
    await choose('Add tag', 'add_tag');
    await keyboard.press('Enter');
    await type(settings.getByRole('combobox', { name: 'Tag', exact: true }), 'not-yet');
    await back('add_tag');

    // What is removed comes back, and goes again.
    await keyboard.press('Delete');
    await card(page, 'add_tag').waitFor({ state: 'detached' });
    await assertDrawnWhole(page);
    await keyboard.press('Control+Z');
    await card(page, 'add_tag').getByText('“not-yet”').waitFor();
    await assertDrawnWhole(page);
    await keyboard.press('Control+Shift+Z');
    await card(page, 'add_tag').waitFor({ state: 'detached' });
    await keyboard.press('Control+Z');
    await card(page, 'add_tag').waitFor();
    await press(page.getByRole('button', { name: 'Save draft' }));
    await simulateAndActivate(page, client, 'Drawn by keyboard', { press, type });
  });

  await t.test('workflows: arrow keys select cards; steps are moved, duplicated, copied and pasted by keyboard', async (t) => {
    const { page } = await open(t, `/workflows/${demo.tagging.id}/edit`);
    const { keyboard } = page;
    const isFocused = (id: string) => card(page, id).and(page.locator(':focus')).waitFor();
    await card(page, 'wait').click();
    await isFocused('wait');
    await keyboard.press('ArrowDown');
    await isFocused('tag');
    await keyboard.press('Alt+ArrowUp');
    await keyboard.press('ArrowDown');
    await isFocused('wait');
    await keyboard.press('Control+d');
    await isFocused('wait-2');
    await assertDrawnWhole(page);
    await keyboard.press('Control+c');
    await keyboard.press('ArrowUp');
    await keyboard.press('ArrowUp');
    await isFocused('tag');
    await keyboard.press('Control+v');
    await isFocused('wait-3');
    for (let edit = 0; edit < 3; edit += 1) await keyboard.press('Control+z');
    await card(page, 'wait-2').waitFor({ state: 'detached' });
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
    await backLink(page).click();
    await page.getByRole('heading', { name: 'Tag everybody who asks' }).waitFor();
  });
}
