import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Locator, Page } from 'playwright-core';
import { receiver } from '../../services/workflows/test/receiver.ts';
import { type Found, lookAt } from './accessibility.ts';
import { script } from './demo.ts';
import { assertDrawnWhole } from './drawn.ts';
import type { Journey } from './journey.ts';
import { tabTo, tabToGroup } from './keyboard.ts';

export async function workflows(t: TestContext, { open, client, demo, platform }: Journey) {
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
    assert.equal(await page.getByLabel('At step').inputValue(), 'wait');
  });

  await t.test('workflows: draws five steps with a branch by mouse, simulates and activates them', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'New workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Drawn by mouse');
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByLabel('Starts when').selectOption('Only through the API, or manually');
    await addAt(page, 'Insert a step after the trigger', 'Wait');
    await settings.getByLabel('Length', { exact: true }).fill('2');
    await card(page, 'delay').getByText('2 days').waitFor();
    await addAt(page, 'Insert a step after Wait', 'Branch');
    await settings.getByLabel('Value').fill('customer');
    await page.getByRole('region', { name: 'Canvas' }).getByText('Tags have “customer”').waitFor();
    await addAt(page, 'Insert a step after Branch, path 1', 'Send email');
    await addAt(page, 'Insert a step after Branch, path 2', 'Add tag');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Send email: Choose a template.' }).click();
    await settings.getByText('Choose a template.').waitFor();
    await writeHtml(settings);
    await settings.getByLabel('Subject').fill('Thank you, {{ contact.first_name }}');
    await settings.getByLabel('Email', { exact: true }).fill('<p>Thank you, {{ contact.first_name }}!</p>');
    await settings.getByRole('combobox', { name: 'From address' }).fill('news@example.com');
    await card(page, 'add_tag').click();
    await settings.getByLabel('Tag', { exact: true }).fill('not-yet');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await simulatesAndActivates(page, client, 'Drawn by mouse', {
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
    await addAt(page, 'Insert a step after the trigger', 'Send email');
    await writeHtml(settings);
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
    await page.getByRole('heading', { name: 'Tested by click', exact: true }).waitFor();
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
    await type(settings.getByLabel('Tag', { exact: true }), 'not-yet');
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
    await simulatesAndActivates(page, client, 'Drawn by keyboard', { press, type });
  });

  await t.test('workflows: arrow keys walk the canvas; steps are moved, duplicated, copied and pasted by keyboard', async (t) => {
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
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Tag everybody who asks' }).waitFor();
  });

  await t.test('workflows: shows what the API rejects at the step and at its field', async (t) => {
    const { page } = await open(t, '/workflows/new');
    const settings = page.getByRole('region', { name: 'Settings' });
    await page.getByLabel('Name', { exact: true }).fill('Rejected');
    await addAt(page, 'Insert a step after the trigger', 'Send email');
    await writeHtml(settings);
    await settings.getByLabel('Subject').fill('Hi');
    await settings.getByLabel('Email', { exact: true }).fill('<p>{{ contact.firstnam }}</p>');
    await settings.getByRole('combobox', { name: 'From address' }).fill('news@example.com');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await card(page, 'send')
      .getByText(/firstnam/)
      .waitFor();
    await settings.getByLabel('Email', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
    await settings.getByLabel('Email', { exact: true }).fill('<p>{{ contact.first_name }}</p>');
    await card(page, 'send').getByText('“Hi”').waitFor();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
  });

  await t.test('workflows: shows what the API rejects in a rule at its field', async (t) => {
    const when = {
      all: [
        { field: 'tags', op: 'contains', value: 'customer' },
        { field: 'attributes.seats', op: 'between', value: [4, 8] },
      ],
    };
    const steps = [
      { id: 'asks', type: 'branch', branches: [{ when, to: 'end' }] },
      { id: 'end', type: 'exit' },
    ];
    const { id } = (await client.post('/v2/workflows', { name: 'Asks', trigger: { type: 'manual' }, steps })).data;
    const { page } = await open(t, `/workflows/${id}/edit`);
    await card(page, 'asks').click();
    const low = page.getByRole('region', { name: 'Settings' }).getByRole('textbox', { name: 'Lower bound' });
    await low.fill('9');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await low.and(page.locator('[aria-invalid=true]')).waitFor();
    await low.fill('5');
    await low.and(page.locator(':not([aria-invalid=true])')).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Asks', exact: true }).waitFor();
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

  await t.test('workflows: a marketer writes the email of a step in the block editor', async (t) => {
    const score = { id: 'score', type: 'webhook', url: 'https://example.com/score', capture: { value: '/score' }, next: 'mail' };
    const steps = [score, { id: 'mail', ...mail, subject: 'Hi' }];
    const { id } = (await client.post('/v2/workflows', { name: 'Written in blocks', trigger: { type: 'manual' }, steps })).data;
    const { page } = await open(t, `/workflows/${id}/edit`);
    const settings = page.getByRole('region', { name: 'Settings' });
    const begin = settings.getByRole('button', { name: 'New email', exact: true });
    await card(page, 'mail').click();
    await settings.getByLabel('Subject', { exact: true }).fill('');
    await settings.getByRole('radiogroup', { name: 'Content' }).getByText('Template').click();
    await begin.click();
    const dialog = page.getByRole('dialog', { name: 'New email' });
    const name = dialog.getByLabel('Name', { exact: true });
    await dialog.getByRole('button', { name: 'Announcement' }).click();
    await name.and(page.locator(':focus')).fill('Your score');
    await dialog.getByLabel('Subject', { exact: true }).fill('You have a score');
    const text = dialog.getByRole('textbox', { name: 'Email content' });
    await text.focus();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('You have {{resp');
    await dialog.getByRole('listbox', { name: 'Fields' }).getByRole('option', { name: 'responses.score.value' }).waitFor();
    await page.keyboard.press('Enter');
    await text.getByText('responses.score.value').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await name.inputValue(), 'Your score');
    await dialog.getByRole('radiogroup', { name: 'View' }).getByText('Preview and checks').click();
    await dialog.getByRole('button', { name: 'Send test…' }).click();
    const sending = page.getByRole('dialog', { name: 'Send a test' });
    assert.equal(await sending.getByRole('combobox', { name: 'From email' }).inputValue(), 'news@example.com', 'the sender of the step');
    await sending.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Save email' }).click();
    await dialog.waitFor({ state: 'detached' });
    await begin.and(page.locator(':focus')).waitFor();
    const chosen = settings.getByRole('combobox', { name: 'Template', exact: true });
    await eventually(async () => (await chosen.inputValue()) === 'Your score');

    await settings.getByRole('button', { name: 'Edit email', exact: true }).click();
    const edited = page.getByRole('dialog', { name: 'Edit email' });
    await edited.getByRole('textbox', { name: 'Email content' }).getByText('responses.score.value').waitFor();
    const found: Found = {};
    await lookAt(page, 'email dialog', found, { within: '[role="dialog"]' });
    assert.deepEqual(found, {});
    await edited.getByLabel('Subject', { exact: true }).fill('Your new score');
    await edited.getByRole('button', { name: 'Save email' }).click();
    await edited.waitFor({ state: 'detached' });

    // Variants have the same editor; Escape closes it while nothing is written.
    await settings.getByRole('button', { name: 'Test variants' }).click();
    await settings.getByRole('combobox', { name: 'Content' }).first().selectOption('Template');
    await settings.getByRole('button', { name: 'New email for variant 1', exact: true }).click();
    await dialog.getByRole('button', { name: 'Start from scratch' }).waitFor();
    await dialog.locator(':focus').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await settings.getByRole('button', { name: 'Remove variant 1' }).click();

    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Written in blocks', exact: true }).waitFor();
    const [, saved] = (await client.get(`/v2/workflows/${id}`)).data.steps;
    const template = (await client.get(`/v2/campaigns/templates/${saved.template_id}`)).data;
    assert.deepEqual([saved.html, saved.subject], [undefined, undefined]);
    assert.deepEqual([template.name, template.subject, template.version], ['Your score', 'Your new score', 2]);
    assert.match(template.html, /You have .*\{\{ responses\.score\.value \}\}/s);
  });

  await t.test('workflows: edits one as JSON with the line of a fault, and deletes it', async (t) => {
    const { page } = await open(t, '/workflows');
    await page.getByRole('link', { name: 'New workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill(script);
    await page.getByText('JSON', { exact: true }).click();
    const text = page.getByLabel('Trigger and steps');
    const write = async (value: unknown) => {
      await text.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
    };
    await write('{\n  "trigger": \n}');
    await page.getByText(/^Line [23]: [\s\S]*JSON/).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    assert.match(page.url(), /\/new$/);
    const asks = { id: 'asks', type: 'branch', branches: [{ when: { field: 'company', op: 'exists' }, to: 'nowhere' }] };
    await write({ trigger: { type: 'manual' }, steps: [asks] });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('alert').getByText('It leads to nowhere, which does not exist.').waitFor();
    await page.getByText('Canvas', { exact: true }).click();
    await page.getByRole('region', { name: 'Canvas' }).getByText('Company has a value').waitFor();
    await page.getByText('JSON', { exact: true }).click();
    await write({ trigger: { type: 'manual' }, steps: [{ id: 'out', type: 'exit' }] });
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
    const way = page.getByRole('region', { name: 'Path', exact: true });
    const done = page.getByRole('list', { name: 'Effects' });
    const ends = page.getByRole('region', { name: 'Outcome' });
    await page.getByRole('button', { name: 'Simulate' }).click();
    await ends.getByText('in 3 days').waitFor();
    await done.getByText('Email “How is it going, ?” from news@example.com').waitFor();
    assert.equal(await done.getByText('Set source to "welcome"').count(), 0);
    await page.getByLabel('Big team?').selectOption('seats is at least 8');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await done.getByText('Set source to "welcome"').waitFor();
    await card(page, 'invite').and(page.locator('[data-lit]')).waitFor();
    await page.getByRole('button', { name: 'Open email' }).click();
    await page.getByRole('dialog').frameLocator('iframe').getByText('Hi').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Big team?').selectOption('');
    await contactField(page).fill('nobody@example.com');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('alert').getByText('No contact has the address').waitFor();
    await contactField(page).fill('ada.0@example.com');
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

  await t.test('workflows: simulates a run with an event on the timeline, and steps through it by keyboard', async (t) => {
    const steps = [
      {
        id: 'order',
        name: 'Until they order',
        type: 'wait_until',
        any: [{ type: 'event', name: 'order_placed' }],
        timeout: 'P7D',
        next: 'thank',
        on_timeout: 'remind',
      },
      { id: 'thank', ...mail, subject: 'Thank you, {{ contact.first_name }}', next: 'end' },
      { id: 'remind', ...mail, subject: 'Anything missing?', next: 'end' },
      { id: 'end', type: 'exit' },
    ];
    const { id } = (await client.post('/v2/workflows', { name: 'Waits for an order', trigger: { type: 'manual' }, steps })).data;
    const { page } = await open(t, `/workflows/${id}/simulate`);
    const { keyboard } = page;
    const press = async (locator: Locator) => {
      await tabTo(page, locator);
      await keyboard.press('Enter');
    };
    const player = page.getByRole('group', { name: 'Player' });
    const isLit = (stepId: string, is: boolean) =>
      card(page, stepId)
        .and(page.locator(is ? '[data-lit]' : ':not([data-lit])'))
        .waitFor();
    const isCurrent = (stepId: string) => card(page, stepId).and(page.locator('[aria-current=step]')).waitFor();
    await contactField(page).fill('ada.0@example.com');
    await press(page.getByRole('button', { name: 'Simulate' }));
    await isLit('remind', true);
    await isLit('thank', false);

    // An order changes the path.
    await press(page.getByRole('button', { name: 'Add event' }));
    const dialog = page.getByRole('dialog', { name: 'Add event' });
    await dialog.getByLabel('What happens').and(page.locator(':focus')).waitFor();
    await press(dialog.getByRole('button', { name: 'Add', exact: true }));
    await dialog.getByText('Enter the name of an event.').waitFor();
    await dialog.getByLabel('Event', { exact: true }).and(page.locator(':focus')).waitFor();
    await keyboard.insertText('order_placed');
    await keyboard.press('Escape');
    await tabTo(page, dialog.getByLabel('Time after the start', { exact: true }));
    await keyboard.press('Control+A');
    await keyboard.insertText('2');
    await press(dialog.getByRole('button', { name: 'Add', exact: true }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('After 2 days').waitFor();
    await press(page.getByRole('button', { name: 'Simulate' }));
    await isLit('thank', true);
    await isLit('remind', false);

    // Back before the order, and forward to the email.
    const emails = page.getByRole('list', { name: 'Emails' });
    await tabTo(page, player.getByRole('slider', { name: 'Moment' }));
    await keyboard.press('Home');
    await player.getByText('1 of').waitFor();
    await isLit('order', false);
    assert.equal(await emails.getByRole('listitem').count(), 0);
    await keyboard.press('ArrowRight');
    await isCurrent('order');
    await isLit('thank', false);
    await press(player.getByRole('button', { name: 'Back' }));
    await player.getByText('1 of').waitFor();
    await press(player.getByRole('button', { name: 'Play' }));
    await emails.getByText('Thank you, Ada').waitFor();
    await player.getByText('in 2 days').waitFor();
    await isLit('end', true);
    await player.getByRole('button', { name: 'Play' }).waitFor();
    await press(emails.getByRole('button', { name: 'Open email' }));
    await page.getByRole('dialog').frameLocator('iframe').getByText('Hi').waitFor();
    await keyboard.press('Escape');

    // The same event later than the wait, and then not at all.
    await press(page.getByRole('button', { name: /^Edit: The event order_placed/ }));
    const edited = page.getByRole('dialog', { name: 'Edit event' });
    await tabTo(page, edited.getByLabel('Time after the start', { exact: true }));
    await keyboard.press('Control+A');
    await keyboard.insertText('9');
    await press(edited.getByRole('button', { name: 'Save' }));
    await page.getByText('After 9 days').waitFor();
    await press(page.getByRole('button', { name: 'Simulate' }));
    await isLit('remind', true);
    await press(page.getByRole('button', { name: /^Remove: The event order_placed/ }));
    await page.getByText('After 9 days').waitFor({ state: 'detached' });
  });

  await t.test('workflows: a simulation names the segments and workflows of its effects', async (t) => {
    const segment = (await client.post('/v2/segments', { name: 'Guests', kind: 'static' })).data;
    const steps = [
      { id: 'join', type: 'add_to_segment', segment_id: segment.id, next: 'start' },
      { id: 'start', type: 'start_workflow', workflow_id: demo.welcome.id },
    ];
    const { id } = (await client.post('/v2/workflows', { name: 'Invites', trigger: { type: 'manual' }, steps })).data;
    const { page } = await open(t, `/workflows/${id}/simulate`);
    await page.getByRole('button', { name: 'Simulate' }).click();
    const effects = page.getByRole('list', { name: 'Effects' });
    await effects.getByText('Add to “Guests”').waitFor();
    await effects.getByText('Start “Welcome”').waitFor();
  });

  await t.test('workflows: plays a finished run and opens its emails, with captured responses and the template of that time', async (t) => {
    const url = await receiver(t, (_, response) => response.end('{"score": 70}'));
    const content = { subject: 'An offer', html: '<p>Old offer for {{ responses.score.value }} points</p>' };
    const template = (await client.post('/v2/campaigns/templates', { name: 'Offer by score', ...content })).data;
    const { html: _, ...sender } = mail;
    const steps = [
      { id: 'score', type: 'webhook', url, capture: { value: '/score' }, next: 'mail' },
      {
        id: 'mail',
        ...sender,
        subject: 'Welcome, {{ contact.first_name }}',
        html: '<p>Hi, {{ responses.score.value }}</p>',
        next: 'offer',
      },
      { id: 'offer', ...sender, template_id: template.id },
    ];
    const { id } = (await client.post('/v2/workflows', { name: 'Greets', trigger: { type: 'manual' }, steps })).data;
    const { runs } = (await client.post(`/v2/workflows/${id}/trigger`, { contact_id: demo.ada.id })).data;
    const { run_id } = runs[0];
    await eventually(async () => (await client.get(`/v2/workflows/runs/${run_id}`)).data.state === 'completed');
    await client.put(`/v2/campaigns/templates/${template.id}`, { html: '<p>New offer</p>' });
    const { page } = await open(t, `/workflows/runs/${run_id}`);
    const player = page.getByRole('group', { name: 'Player' });
    await card(page, 'mail').and(page.locator('[data-lit]')).waitFor();
    const dialog = page.getByRole('dialog');
    for (const [index, text] of ['Hi, 70', 'Old offer for 70 points'].entries()) {
      await page.getByRole('button', { name: 'Open email' }).nth(index).click();
      await dialog.frameLocator('iframe').getByText(text).waitFor();
      assert.equal(await dialog.getByText('The template is the version').count(), index);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await tabTo(page, player.getByRole('slider', { name: 'Moment' }));
    await page.keyboard.press('Home');
    await card(page, 'mail').and(page.locator(':not([data-lit])')).waitFor();
    await page.getByText('None so far').waitFor();
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Open email' }).first().waitFor();
    for (const [path, sent] of [
      [`workflows/${id}`, 2],
      [`campaigns/templates/${template.id}`, 1],
    ] as const) {
      await page.goto(`${platform.url}/${path}`);
      await page.getByRole('region', { name: 'Emails' }).getByText(`Sent${sent}Opened0`).waitFor();
    }
  });

  await t.test('workflows: lists the changes of each version', async (t) => {
    const { page } = await open(t, `/workflows/${demo.tagging.id}`);
    await page.getByRole('link', { name: /^Version/ }).click();
    const second = page.getByRole('region', { name: 'Version 2', exact: true });
    await second.getByText('Added step “Wait a moment”').waitFor();
    await second.getByText('Show steps').click();
    await second.getByText('1 second').first().waitFor();
    const compared = page.getByRole('region', { name: 'Compare' });
    await compared.getByRole('region', { name: 'Version 2' }).getByRole('button', { name: 'Wait a moment added' }).waitFor();
    assert.equal(await compared.getByRole('region', { name: 'Version 1' }).getByText('Wait a moment').count(), 0);
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

const mail = { type: 'send', from: { email: 'news@example.com' }, html: '<p>Hi</p>' };

const contactField = (page: Page) => page.getByRole('combobox', { name: 'Contact', exact: true });

/** A card on the canvas: of the step with this ID, or of the trigger. */
const card = (page: Page, id = '') => page.locator(`[data-card="${id === '' ? 'trigger' : `step:${id}`}"]`);

/** Inserts a step by mouse. The canvas shows all of it before anything else is done. */
async function addAt(page: Page, label: string, name: string) {
  await page.getByRole('button', { name: label, exact: true }).click();
  await page.getByRole('option').getByText(name, { exact: true }).click();
  await assertDrawnWhole(page);
}

/** Chooses HTML instead of a template for the email of a new step. */
const writeHtml = (settings: Locator) => settings.getByRole('radiogroup', { name: 'Content' }).getByText('HTML').click();

type Hands = { press: (locator: Locator) => Promise<void>; type: (field: Locator, text: string) => Promise<void> };

/** From the page of a workflow that was just saved: what it would do for a customer, and that it is active then. */
async function simulatesAndActivates(page: Page, client: Journey['client'], name: string, { press, type }: Hands) {
  await page.getByRole('heading', { name, exact: true }).waitFor();
  const id = new URL(page.url()).pathname.split('/')[2];
  const { steps } = (await client.get(`/v2/workflows/${id}`)).data;
  assert.deepEqual(steps.map(({ type: of }: { type: string }) => of).toSorted(), ['add_tag', 'branch', 'delay', 'exit', 'send']);
  await press(page.getByRole('link', { name: 'Simulate' }));
  await type(contactField(page), 'ada.0@example.com');
  await press(page.getByRole('button', { name: 'Simulate' }));
  await page.getByRole('list', { name: 'Effects' }).getByText('Email “Thank you, Ada” from news@example.com').waitFor();
  await card(page, 'send').and(page.locator('[data-lit]')).waitFor();
  assert.equal(await card(page, 'add_tag').and(page.locator('[data-lit]')).count(), 0);
  await press(page.getByRole('link', { name, exact: true }));
  await press(page.getByRole('button', { name: 'Activate' }));
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  assert.equal((await client.get(`/v2/workflows/${id}`)).data.status, 'active');
}
