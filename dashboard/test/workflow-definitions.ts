import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type Found, lookAt } from './accessibility.ts';
import { script } from './demo.ts';
import { backLink, save } from './editor.ts';
import type { Journey } from './journey.ts';
import { card, htmlEmail, insertStep, writeEmailHtml } from './workflow-editor.ts';

export async function workflowDefinitions(t: TestContext, { open, client, demo }: Journey) {
  await t.test('workflows: shows what the API rejects at the step and at its field', async (t) => {
    const { page } = await open(t, '/workflows/new');
    const settings = page.getByRole('region', { name: 'Settings' });
    await page.getByLabel('Name', { exact: true }).fill('Rejected');
    await insertStep(page, 'Insert a step after the trigger', 'Send email');
    await writeEmailHtml(settings);
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
    await backLink(page).click();
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
    await save(page);
  });

  await t.test('workflows: a marketer writes the email of a step in the block editor', async (t) => {
    const score = { id: 'score', type: 'webhook', url: 'https://example.com/score', capture: { value: '/score' }, next: 'mail' };
    const steps = [score, { id: 'mail', ...htmlEmail, subject: 'Hi' }];
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

    await save(page);
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
    const branch = { id: 'asks', type: 'branch', branches: [{ when: { field: 'company', op: 'exists' }, to: 'nowhere' }] };
    await write({ trigger: { type: 'manual' }, steps: [branch] });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('alert').getByText('It leads to nowhere, which does not exist.').waitFor();
    await page.getByText('Canvas', { exact: true }).click();
    await page.getByRole('region', { name: 'Canvas' }).getByText('Company has a value').waitFor();
    await page.getByText('JSON', { exact: true }).click();
    await write({ trigger: { type: 'manual' }, steps: [{ id: 'out', type: 'exit' }] });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { name: `Edit ${script}` }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2];
    assert.equal((await client.get(`/v2/workflows/${id}`)).data.status, 'draft');

    await page.getByLabel('Name', { exact: true }).fill('Out again');
    await save(page);
    await backLink(page).click();
    await page.getByRole('heading', { name: 'Out again', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete workflow' }).click();
    await page.getByText('Out again was deleted.').waitFor();
    assert.equal((await client.get(`/v2/workflows/${id}`)).status, 404);
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
}
