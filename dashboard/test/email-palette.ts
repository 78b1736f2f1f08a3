import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { type Found, lookAt } from './accessibility.ts';
import { save } from './editor.ts';
import { editorOf } from './emails.ts';
import type { Journey } from './journey.ts';
import { tabTo } from './keyboard.ts';

const inspectorOf = (page: Page) => page.getByRole('region', { name: 'Selected block' });
const tile = (page: Page, name: string) => page.getByRole('region', { name: 'Add a block' }).getByRole('button', { name, exact: true });
const typesOf = ({ content }: { content: { type: string }[] }) => content.map(({ type }) => type);

export async function emailPalette(t: TestContext, { open, client }: Journey) {
  let path = '';
  const stored = async () => (await client.get(`/v2${path}`)).data;

  await t.test(
    'emails: a section and a product are dragged in, filled and previewed on a computer, a phone and as text side by side',
    async (t) => {
      const { page } = await open(t, '/campaigns/templates');
      await page.setViewportSize({ width: 1440, height: 1000 });
      await page.getByRole('button', { name: 'Start from an example' }).click();
      await page.getByRole('button', { name: 'Win-back' }).click();
      const text = editorOf(page);
      const inspector = inspectorOf(page);
      // At the end of the text: after it.
      const after = { targetPosition: { x: 520, y: 12 } };
      await tile(page, 'Product').dragTo(text.getByText('Come back and have a look.'), after);
      await inspector.getByRole('heading', { name: 'Product' }).waitFor();
      for (const [field, value] of [
        ['Name', 'Linen bag'],
        ['Price', '$49.00'],
        ['Description', 'Large enough for a laptop.'],
      ] as const)
        await inspector.getByRole('textbox', { name: field, exact: true }).fill(value);
      await inspector.getByLabel('Links to').fill('shop.example');
      await inspector.getByText('Enter the URL that the button opens, with https://.').waitFor();
      await inspector.getByLabel('Links to').fill('https://shop.example/bag');
      await tile(page, 'Section').dragTo(text.getByText('Come back and have a look.'), after);
      await page.keyboard.type('Free shipping');
      await inspector.getByLabel('Background').selectOption('Primary');
      await inspector.getByRole('radiogroup', { name: 'Padding' }).getByText('Large').click();
      await page.getByRole('button', { name: 'Create template' }).click();
      await page.waitForURL(/template_\w+$/);
      path = new URL(page.url()).pathname;
      const { design, html } = await stored();
      assert.deepEqual(typesOf(design.doc).slice(-4), ['paragraph', 'section', 'product', 'button']);
      assert.match(html, /padding:56px 32px 40px;background:#c2410c">.*color:#ffffff">Free shipping/s);

      await page.getByRole('radiogroup', { name: 'View' }).getByText('Preview and checks').click();
      for (const title of ['Email preview', 'Email preview on a phone'])
        for (const words of ['Free shipping', 'Linen bag', '$49.00', 'Buy now'])
          await page.frameLocator(`iframe[title="${title}"]`).getByText(words).waitFor();
      await page.getByRole('region', { name: 'Plain text' }).getByText('Buy now: https://shop.example/bag').waitFor();
      await page.setViewportSize({ width: 1120, height: 1000 });
      await page.getByRole('radiogroup', { name: 'Shown as' }).getByText('Plain text').click();
      await page.getByText('Buy now: https://shop.example/bag').waitFor();
    },
  );

  await t.test('emails: the keyboard adds blocks from the palette and with a slash, and undoes each in one step', async (t) => {
    const { page } = await open(t, path);
    const text = editorOf(page);
    await tabTo(page, text);
    await page.keyboard.press('ControlOrMeta+Home');
    const before = await stored();
    await tabTo(page, tile(page, 'Video'));
    await page.keyboard.press('Enter');
    await tabTo(page, inspectorOf(page).getByLabel('Links to'));
    await page.keyboard.type('https://youtu.be/dQw4w9WgXcQ');
    await tabTo(page, inspectorOf(page).getByLabel('Alternative text'));
    await page.keyboard.type('How it is made');
    await text.getByText('How it is made').or(text.getByText('YouTube’s picture of the video')).first().waitFor();
    await tabTo(page, tile(page, 'Spacer'));
    await page.keyboard.press('Enter');
    await text.locator('[data-spacer]').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await text.locator('[data-spacer]').waitFor({ state: 'detached' });
    await text.locator('[data-video]').waitFor();
    await tabTo(page, tile(page, 'Text'));
    await page.keyboard.press('Enter');
    await page.keyboard.type('/space');
    await page.getByRole('option', { name: 'Spacer' }).waitFor();
    await page.keyboard.press('Enter');
    await text.locator('[data-spacer]').waitFor();
    await save(page);
    const { design, html } = await stored();
    assert.deepEqual(typesOf(design.doc), ['video', 'spacer', ...typesOf(before.design.doc)]);
    assert.match(html, /hqdefault\.jpg" alt="How it is made"/);
  });

  await t.test('emails: a block in a section moves and is deleted alone, and the section as a whole', async (t) => {
    const { page } = await open(t, path);
    await editorOf(page).getByText('Free shipping').click();
    await tile(page, 'Button').click();
    await inspectorOf(page).getByRole('button', { name: 'Move up' }).click();
    const section = editorOf(page).locator('[data-section]');
    assert.match((await section.textContent()) ?? '', /^Read more.*Free shipping$/);
    await inspectorOf(page).getByRole('button', { name: 'Delete' }).click();
    assert.equal(await section.textContent(), 'Free shipping');
    await section.getByText('Free shipping').click();
    await inspectorOf(page).getByRole('button', { name: 'Select the section' }).click();
    await inspectorOf(page).getByRole('button', { name: 'Delete' }).click();
    await section.waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+z');
    await section.waitFor();
  });

  await t.test('emails: the palette works on a phone, and is accessible with the fields of its blocks', async (t) => {
    const { page } = await open(t, path);
    const found: Found = {};
    await editorOf(page).locator('[data-product]').click();
    await lookAt(page, 'product', found);
    await page.setViewportSize({ width: 390, height: 844 });
    await tile(page, 'Divider').click();
    await editorOf(page).locator('hr').waitFor();
    await editorOf(page).getByText('Free shipping').click();
    await lookAt(page, 'section', found);
    assert.deepEqual(found, {});
  });
}
