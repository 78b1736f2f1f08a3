import type { Page } from 'playwright-core';

/** Replaces the HTML as a person does: `fill` would make the browser keep the color of the code as an inline style. */
export async function writeHtml(page: Page, html: string) {
  await page.getByRole('textbox', { name: 'HTML' }).press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(html);
}

export const goToStep = (page: Page, name: string) => page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name }).click();

export const openPreview = (page: Page) => page.getByRole('radiogroup', { name: 'View' }).getByText('Preview and checks').click();

export const idIn = (url: string) => new URL(url).pathname.split('/')[2];

/** A campaign that lacks only a name. */
export const draftCampaign = {
  subject: 'Spring',
  from: { email: 'news@example.com' },
  html: '<p>Hello {{ contact.first_name }}</p>',
  audience: { include: ['all'] },
};
