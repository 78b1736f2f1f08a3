import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { writeHtml } from './campaign-editor.ts';
import { backLink, save } from './editor.ts';
import type { Journey } from './journey.ts';

/** A red image of 3 × 2 pixels. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEklEQVR4AWI6w8DwH4aZGJAAAAAA//8oLckKAAAABklEQVQDAGhmBWbdDDM4AAAAAElFTkSuQmCC',
  'base64',
);

export const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Email content' });

/** The emails that were sent to an address, from the local mailbox, newest first. */
async function mailTo(page: Page, url: string, subject: string): Promise<string> {
  const { request } = page.context();
  const path = await eventually(async () => {
    const list = await (await request.get(`${url}/t/mailbox`)).text();
    return list
      .split('<li>')
      .find((line) => line.includes(subject))
      ?.match(/href="(\/t\/mailbox\/[^"]+)"/)?.[1];
  });
  return (await request.get(`${url}${path}/html`)).text();
}

export async function emails(t: TestContext, { open, client, platform, demo }: Journey) {
  await t.test('emails: the brand of the account is in every new email', async (t) => {
    const { page } = await open(t, '/settings/brand');
    await page.getByLabel('Company name').fill('Acme & Sons');
    // Another user's changes of another field and of another color are kept.
    const { colors } = (await client.get('/v2/campaigns/brand')).data;
    await client.put('/v2/campaigns/brand', { footer_text: 'You are a customer of Acme.', colors: { ...colors, surface: '#fffbeb' } });
    await page.getByRole('textbox', { name: 'Buttons and links' }).fill('#c2410c');
    await page.getByLabel('Postal address').fill('1 Main Street\nBerlin');
    await page.getByLabel('Website').fill('acme');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Website').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('Website').fill('https://acme.example/');
    await page.getByRole('button', { name: 'Choose a logo' }).click();
    await page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png });
    await page.getByRole('img', { name: 'The current logo' }).waitFor();
    await page.getByRole('button', { name: 'Add a link' }).click();
    await page.getByLabel('Network 1').selectOption('LinkedIn');
    await page.getByLabel('URL 1').fill('https://linkedin.com/company/acme');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.frameLocator('iframe[title="Preview of the brand"]').getByText('Acme & Sons').waitFor();
    const { data } = await client.get('/v2/campaigns/brand');
    const { company_name, footer_text, social_links } = data;
    assert.deepEqual(
      [company_name, footer_text, social_links[0].network, data.colors],
      ['Acme & Sons', 'You are a customer of Acme.', 'linkedin', { ...colors, primary: '#c2410c', surface: '#fffbeb' }],
    );
    assert.match(data.logo_url, /\/t\/i\/[\w-]{24}\.png$/);
  });

  await t.test('emails: written with an image, a button and a field, seen as a contact, and sent to yourself as a test', async (t) => {
    const { page } = await open(t, '/campaigns/new');
    await page.getByLabel('Name', { exact: true }).fill('Summer');
    await page.getByRole('combobox', { name: 'From email' }).fill('new');
    await page.getByRole('option', { name: 'news@example.com' }).click();
    await page.getByRole('combobox', { name: 'Include' }).click();
    await page.getByRole('option', { name: 'All contacts' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Subject', { exact: true }).fill('A test of summer');
    const text = editorOf(page);
    await text.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('Dear {{first');
    await page.getByRole('listbox', { name: 'Fields' }).getByRole('option', { name: 'First name' }).waitFor();
    await page.keyboard.press('Enter');
    await text.getByText('First name | there').waitFor();
    await page.keyboard.type('welcome to summer.');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/button');
    await page.getByRole('option', { name: 'Button' }).waitFor();
    await page.keyboard.press('Enter');
    const inspector = page.getByRole('region', { name: 'Selected block' });
    await inspector.getByLabel('Label').fill('See the offer');
    await inspector.getByLabel('Links to').fill('https://shop.example/offer');
    await page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name: 'Image' }).click();
    await page.locator('input[type=file]').setInputFiles({ name: 'sea-view.png', mimeType: 'image/png', buffer: png });
    await text.getByRole('img', { name: 'sea view' }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { name: 'Edit Summer' }).waitFor();

    await page.getByRole('radiogroup', { name: 'View' }).getByText('Preview and checks').click();
    await page.getByLabel('Preview as this contact').fill('ada.0@example.com');
    await page.getByLabel('Preview as this contact').press('Enter');
    const mail = page.frameLocator('iframe[title="Email preview"]');
    await mail.getByText('Dear Ada').waitFor();
    await mail.getByRole('img', { name: 'sea view' }).waitFor();
    await mail.getByText('1 Main Street').waitFor();
    await page.getByText('example.com is not a verified domain').waitFor();

    const default_sender = { email: 'shop@example.com', name: null, reply_to: null };
    await client.put('/v2/campaigns/settings', { default_sender });
    // The settings are read anew.
    await page.reload();
    await page.getByRole('radiogroup', { name: 'View' }).getByText('Preview and checks').click();
    await page.getByLabel('Preview as this contact').fill('ada.0@example.com');
    await page.getByLabel('Preview as this contact').press('Enter');
    await mail.getByText('Dear Ada').waitFor();
    await page.getByRole('button', { name: 'Send test…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a test' });
    await dialog.getByText('Uses the fields of the contact in the preview.').waitFor();
    // The user of this session has no address.
    await dialog.getByText('shop@example.com', { exact: true }).waitFor();
    await client.put('/v2/campaigns/settings', { default_sender: null });
    await dialog.getByLabel('To').press('Backspace');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('Enter an address.').waitFor();
    await dialog.getByLabel('To').fill('me@example.com');
    await dialog.getByLabel('To').press('Enter');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await page.getByText(/Test sent to/).waitFor();
    const html = await mailTo(page, platform.url, '[Test] A test of summer');
    const [, image] = /<img src="([^"]+)" alt="sea view"/.exec(html) ?? [];
    assert.match(html, /Dear Ada/);
    assert.match(html, />See the offer<\/a>/);
    const shown = await page.context().request.get(`${platform.url}${new URL(image ?? '').pathname}`);
    assert.deepEqual([shown.status(), shown.headers()['content-type']], [200, 'image/png']);
    assert.deepEqual(Buffer.from(await shown.body()), png);
  });

  await t.test('emails: a design opens as it was saved; the keyboard moves its blocks and undoes that, even after a preview', async (t) => {
    const { id } = (await client.get('/v2/campaigns?limit=100')).data.items.find(({ name }: { name: string }) => name === 'Summer');
    const { page } = await open(t, `/campaigns/${id}/edit?step=content`);
    const text = editorOf(page);
    await text.getByText('First name | there').waitFor();
    await text.focus();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('Moved. ');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('ControlOrMeta+Home');
    assert.ok((await text.locator(':scope > *').nth(1).textContent())?.startsWith('Moved.'));
    const view = page.getByRole('radiogroup', { name: 'View' });
    await view.getByText('Preview and checks').click();
    await text.waitFor({ state: 'hidden' });
    await view.getByText('Edit').click();
    await text.focus();
    await page.keyboard.press('ControlOrMeta+z');
    assert.ok((await text.locator(':scope > *').first().textContent())?.startsWith('Moved.'));
    await save(page);
    const { data } = await client.get(`/v2/campaigns/${id}`);
    assert.equal(data.design.editor, 'blocks');
    assert.match(data.html, /Moved\. .*\{\{ contact\.first_name \| default: "there" \}\}/s);
    assert.match(data.text, /See the offer: https:\/\/shop\.example\/offer/);
  });

  await t.test('emails: fields go into the subject and are pasted, and a template that replaces them is undone', async (t) => {
    const { id } = (await client.get('/v2/campaigns?limit=100')).data.items.find(({ name }: { name: string }) => name === 'Summer');
    const { page } = await open(t, `/campaigns/${id}/edit?step=content`);
    const subject = page.getByLabel('Subject', { exact: true });
    const text = editorOf(page);
    await text.getByText('First name | there').waitFor();
    await subject.press('Home');
    await page.getByRole('button', { name: 'Insert a field in the subject' }).press('Enter');
    await page.getByRole('menuitem', { name: 'First name' }).press('Enter');
    await subject.and(page.locator(':focus')).waitFor();
    await page.keyboard.type(': ');
    const named = '{{ contact.first_name | default: "there" }}: A test of summer';
    assert.equal(await subject.inputValue(), named);

    await text.focus();
    await page.keyboard.press('ControlOrMeta+Home');
    await text.evaluate((element) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', "{{ contact.attributes['plan'] }} and {{ contact.company | default: 'you' }}. ");
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.keyboard.type('{{ contact.attributes["seats"] }} ');
    for (const chip of ['plan', 'Company | you', 'seats']) await text.getByText(chip, { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Templates…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Newsletter' }).click();
    await text.getByText('The main story').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await text.getByText('Company | you').waitFor();
    await save(page);
    const { data } = await client.get(`/v2/campaigns/${id}`);
    assert.equal(data.subject, named);
    const written = `{{ contact.attributes['plan'] }} and {{ contact.company | default: "you" }}. {{ contact.attributes["seats"] }} Moved.`;
    assert.ok(data.html.includes(written), data.html);
  });

  await t.test('emails: a block is shown only to contacts that meet its condition', async (t) => {
    const { id } = (await client.get('/v2/campaigns?limit=100')).data.items.find(({ name }: { name: string }) => name === 'Summer');
    const { page } = await open(t, `/campaigns/${id}/edit?step=content`);
    await editorOf(page).focus();
    await page.keyboard.press('ControlOrMeta+Home');
    const inspector = page.getByRole('region', { name: 'Selected block' });
    await inspector.getByLabel('Show this block').selectOption('City');
    await inspector.getByRole('combobox', { name: 'Value', exact: true }).fill('Berlin');
    await editorOf(page).locator('[data-condition="Only if City is Berlin"]').waitFor();
    await save(page);
    const shown = async (contact_id: string) =>
      (await client.post(`/v2/campaigns/${id}/preview`, { contact_id })).data.html.includes('Moved.');
    const { id: elsewhere } = (await client.get('/v2/contacts?email=grace.1@example.com')).data.items[0];
    assert.deepEqual([await shown(demo.ada.id), await shown(elsewhere)], [true, false]);
  });

  await t.test('emails: keep the brand they were written with until the current one is chosen', async (t) => {
    const { id } = (await client.get('/v2/campaigns?limit=100')).data.items.find(({ name }: { name: string }) => name === 'Summer');
    await client.put('/v2/campaigns/brand', { company_name: 'Acme International' });
    const { page } = await open(t, `/campaigns/${id}/edit?step=content`);
    await editorOf(page).waitFor();
    const sheet = page.getByRole('region', { name: 'Content' });
    await sheet.getByText('Acme & Sons').waitFor();
    await page.getByRole('button', { name: 'Use the current brand' }).click();
    await sheet.getByText('Acme International').waitFor();
    await save(page);
    assert.match((await client.get(`/v2/campaigns/${id}`)).data.html, /Acme International/);
  });

  await t.test('emails: HTML errors are shown at their line', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.draft.id}/edit?step=content`);
    await writeHtml(page, '<p>One</p>\n<p>{{ contact.nam }}</p>');
    await page.getByRole('button', { name: 'Line 2' }).waitFor();
    await page.getByText('Unknown field contact.nam').first().waitFor();
    await backLink(page).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
  });

  await t.test('emails: a template is made from a starter, changed, restored, duplicated and deleted', async (t) => {
    const { page } = await open(t, '/campaigns');
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('button', { name: 'Start from an example' }).click();
    await page.getByRole('button', { name: 'Win-back' }).click();
    await editorOf(page).getByText('It has been a while').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Come back');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('heading', { name: 'Come back' }).waitFor();
    await page.getByText('Version 1', { exact: true }).waitFor();
    await editorOf(page).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('Hello! ');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await editorOf(page)
      .getByText(/^It has been a while/)
      .waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 3', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Duplicate', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Come back (copy)' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('row', { name: 'Come back' }).waitFor();
    const { items } = (await client.get('/v2/campaigns/templates')).data;
    assert.deepEqual(
      items
        .filter(({ name }: { name: string }) => name.startsWith('Come back'))
        .map(({ name, version }: { name: string; version: number }) => [name, version]),
      [['Come back', 3]],
    );
  });

  await t.test('emails: the review of a campaign checks its template, including fields that some contacts lack', async (t) => {
    const html = `<p>{{ contact.attributes['sign-up'] }}</p><a href="{{ unsubscribe_url }}">Unsubscribe</a>`;
    const { id: template_id } = (await client.post('/v2/campaigns/templates', { name: 'Signed up', subject: 'Hi', html })).data;
    const { id } = (
      await client.post('/v2/campaigns', {
        ...{ name: 'By template', subject: 'Hi', from: { email: 'news@example.com' }, template_id },
        audience: { include: ['all'] },
      })
    ).data;
    const { page } = await open(t, `/campaigns/${id}/edit?step=review`);
    await page.getByText(/^\d+ of \d+ contacts have no contact\.attributes\.sign-up$/).waitFor();
    assert.equal(await page.getByText('There is no unsubscribe link').count(), 0);
  });
}
