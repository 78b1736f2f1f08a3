import { eventually } from '@mp/test-kit/eventually';
import type { Locator, Page } from 'playwright-core';
import { type CountedInput, createCountedInput } from './counted-input.ts';
import { editorOf } from './emails.ts';
import { tabTo } from './keyboard.ts';
import { card } from './workflow-editor.ts';

/** What a person does on the pages, with the mouse or with the keyboard. */
export type Hands = {
  press: (target: Locator) => Promise<void>;
  /** Replaces what is in the field. */
  type: (field: Locator, text: string) => Promise<void>;
  /** Chooses from a native list. */
  choose: (list: Locator, option: string) => Promise<void>;
  /** Types the beginning of a suggestion and takes it. */
  pick: (field: Locator, text: string, option: string) => Promise<void>;
  /** Opens a menu and takes an entry. */
  take: (menu: Locator, entry: string) => Promise<void>;
  /** Inserts a step into a workflow and opens its fields. */
  insert: (where: string, step: string, id: string) => Promise<void>;
  /** Writes a new email: a text, a coupon and a button. */
  write: (email: { text: string; coupon: string; label: string; href: string }) => Promise<void>;
};

/** With the mouse, and the keyboard only to type into fields. */
export function createMouse(page: Page): Hands & Pick<CountedInput, 'effort'> {
  const input = createCountedInput(page);
  const { click, type, choose, pick, effort } = input;
  const take = async (menu: Locator, entry: string) => {
    await click(menu);
    await click(page.getByRole('menuitem', { name: entry, exact: true }));
  };
  return {
    press: (target) => click(target),
    ...{ type, choose, pick, take, effort },
    async insert(where, step, id) {
      await click(page.getByRole('button', { name: `Insert a step after ${where}`, exact: true }));
      await click(page.getByRole('listbox', { name: 'Steps' }).getByText(step, { exact: true }));
      await card(page, id).waitFor();
    },
    async write({ text, coupon, label, href }) {
      const toolbar = page.getByRole('toolbar', { name: 'Formatting' });
      await type(editorOf(page).getByText('Write your message here.'), text);
      await take(toolbar.getByRole('button', { name: 'Insert a field' }), `Coupon ${coupon}`);
      await take(toolbar.getByRole('button', { name: 'Insert a block' }), 'Button');
      await fillButton(type, page, label, href);
    },
  };
}

/** With the keyboard only. Everything is reached by Tab; a pointer fails the test, because the window fails on console errors. */
export async function createKeyboard(page: Page): Promise<Hands> {
  const { keyboard } = page;
  await page.addInitScript(() => document.addEventListener('pointerdown', () => console.error('The mouse was used.'), true));
  const press = async (target: Locator) => {
    await tabTo(page, target);
    await keyboard.press('Enter');
  };
  const type = async (field: Locator, text: string) => {
    await tabTo(page, field);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type(text);
  };
  return {
    press,
    type,
    async choose(list, option) {
      await tabTo(page, list);
      await keyboard.type(option);
      await eventually(async () => (await list.locator('option:checked').textContent()) === option);
    },
    async pick(field, text, option) {
      await type(field, text);
      await page.getByRole('option', { name: option, exact: true }).waitFor();
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await eventually(async () => (await field.inputValue()) === option);
    },
    async take(menu, entry) {
      await press(menu);
      const item = page.getByRole('menuitem', { name: entry, exact: true });
      await item.waitFor();
      for (let items = 0; items < 40 && !(await item.evaluate((element) => element === document.activeElement)); items += 1)
        await keyboard.press('ArrowDown');
      await item.and(page.locator(':focus')).waitFor();
      await keyboard.press('Enter');
    },
    async insert(where, step, id) {
      await press(page.getByRole('button', { name: `Insert a step after ${where}`, exact: true }));
      await page.getByLabel('Search steps').and(page.locator(':focus')).waitFor();
      await keyboard.type(step);
      await page.locator('[role="option"][data-combobox-selected]').getByText(step, { exact: true }).waitFor();
      await keyboard.press('Enter');
      await card(page, id).and(page.locator(':focus')).waitFor();
      await keyboard.press('Enter');
    },
    async write({ text, coupon, label, href }) {
      await tabTo(page, editorOf(page));
      await keyboard.press('ControlOrMeta+a');
      await keyboard.press('Backspace');
      await keyboard.type(`${text}{{coupon`);
      const fields = page.getByRole('listbox', { name: 'Fields' });
      await fields.getByRole('option', { name: `Coupon ${coupon}` }).waitFor();
      await keyboard.press('Enter');
      await editorOf(page).getByText(`Coupon ${coupon}`, { exact: true }).waitFor();
      await keyboard.press('Enter');
      await keyboard.type('/button');
      await page.getByRole('option', { name: 'Button' }).waitFor();
      await keyboard.press('Enter');
      await fillButton(type, page, label, href);
    },
  };
}

async function fillButton(type: Hands['type'], page: Page, label: string, href: string) {
  const block = page.getByRole('region', { name: 'Selected block' });
  await type(block.getByLabel('Label'), label);
  await type(block.getByLabel('Links to'), href);
}
