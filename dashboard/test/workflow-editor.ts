import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertDrawnWhole } from './drawn.ts';
import type { Journey } from './journey.ts';

/** The step of an email whose content is HTML. */
export const htmlEmail = { type: 'send', from: { email: 'news@example.com' }, html: '<p>Hi</p>' };

export const contactField = (page: Page) => page.getByRole('combobox', { name: 'Contact', exact: true });

/** A card on the canvas: of the step with this ID, or of the trigger. */
export const card = (page: Page, id = '') => page.locator(`[data-card="${id === '' ? 'trigger' : `step:${id}`}"]`);

/** Inserts a step by mouse. The canvas shows all of it before anything else is done. */
export async function insertStep(page: Page, label: string, name: string) {
  await page.getByRole('button', { name: label, exact: true }).click();
  await page.getByRole('option').getByText(name, { exact: true }).click();
  await assertDrawnWhole(page);
}

/** Chooses HTML instead of a template for the email of a new step. */
export const writeEmailHtml = (settings: Locator) => settings.getByRole('radiogroup', { name: 'Content' }).getByText('HTML').click();

type Input = { press: (locator: Locator) => Promise<void>; type: (field: Locator, text: string) => Promise<void> };

/** From the editor of a workflow that was just saved: what it would do for a customer, and that it is active then. */
export async function simulateAndActivate(page: Page, client: Journey['client'], name: string, { press, type }: Input) {
  await page.getByRole('heading', { name: `Edit ${name}`, exact: true }).waitFor();
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
