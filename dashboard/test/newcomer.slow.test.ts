import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, openPage, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createCountedInput } from './counted-input.ts';
import { assertDrawnWhole } from './drawn.ts';
import { peopleFile } from './people.ts';

const people = 60;
const customersInBerlin = people / 12;

test('a new user sends a newsletter to customers in Berlin and welcomes new ones automatically, without reading JSON', {
  skip: withoutBrowser,
}, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin', '--account', 'newcomers');
  const { context, page } = await openPage(t, browser, platform.url);
  const input = createCountedInput(page, () => showsNoJson(page));
  const goTo = (place: string, within = 'Main') =>
    input.click(page.getByRole('navigation', { name: within }).getByRole('link', { name: place, exact: true }));
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const firstSteps = page.getByRole('region', { name: 'First steps' });

  await page.goto(await platform.command('sign-in-link.ts', '--account', 'newcomers'));
  await input.click(firstSteps.getByRole('link', { name: 'Import contacts' }));
  await input.upload(button(/^Drop a file here/), peopleFile(people));
  await input.choose(page.getByLabel('Email consent of new contacts'), 'Subscribed: they agreed to receive email');
  await input.click(button('Import'));
  await page.getByRole('region', { name: 'Results', exact: true }).getByText('Completed').waitFor();

  await goTo('Contacts');
  await goTo('Segments', 'Pages of Contacts');
  await input.click(page.getByRole('link', { name: 'Create a segment' }));
  await input.type(page.getByLabel('Name', { exact: true }), 'Customers in Berlin');
  await input.pick(page.getByRole('combobox', { name: 'Value' }), 'Ber', 'Berlin');
  await input.click(button('Add condition'));
  await input.click(page.getByRole('menuitem', { name: 'Field, tag or attribute' }));
  await input.choose(page.getByLabel('Field').nth(1), 'Tags');
  await input.choose(page.getByLabel('Operator').nth(1), 'have');
  await input.pick(page.getByRole('combobox', { name: 'Value' }).nth(1), 'cus', 'customer');
  await page.getByText('People whose city is “Berlin” and whose tags have “customer”.').waitFor();
  await page.getByText(`${customersInBerlin} contacts`, { exact: true }).waitFor();
  await input.click(button('Create segment'));
  await page.getByRole('heading', { name: 'Customers in Berlin' }).waitFor();

  await input.click(page.getByRole('link', { name: 'Send a campaign' }));
  await input.type(page.getByLabel('Name', { exact: true }), 'First newsletter');
  await input.type(page.getByRole('combobox', { name: 'From email' }), 'news@example.com');
  await input.click(button('Continue'));
  await input.click(button('Templates…'));
  await input.click(page.getByRole('dialog').getByRole('button', { name: 'Newsletter' }));
  await input.click(button('Continue'));
  await page.getByLabel('Throttle (emails per minute)').waitFor();
  await input.click(button('Continue'));
  await input.click(button(`Send to ${customersInBerlin} contacts…`));
  await input.click(page.getByRole('dialog').getByRole('button', { name: `Send to ${customersInBerlin} contacts` }));
  await page.locator('main header').first().getByText('Sent', { exact: true }).waitFor();

  await goTo('Overview');
  await input.click(firstSteps.getByRole('link', { name: 'Build a workflow' }));
  const settings = page.getByRole('region', { name: 'Settings' }).last();
  await input.type(page.getByLabel('Name', { exact: true }), 'Welcome');
  await input.choose(settings.getByLabel('Starts when'), 'A contact is created');
  await input.click(button('Insert a step after the trigger'));
  await input.click(page.getByRole('option').getByText('Send email', { exact: true }));
  await assertDrawnWhole(page);
  await input.click(settings.getByRole('button', { name: 'New email', exact: true }));
  const writing = page.getByRole('dialog', { name: 'New email' });
  await input.click(writing.getByRole('button', { name: 'Welcome' }));
  await input.type(writing.getByLabel('Name', { exact: true }), 'Welcome');
  await input.click(writing.getByRole('button', { name: 'Save email' }));
  await writing.waitFor({ state: 'detached' });
  await input.pick(settings.getByRole('combobox', { name: 'From address' }), 'news', 'news@example.com');
  await input.click(button('Activate'));
  await button('Pause').waitFor();

  await goTo('Contacts');
  await input.click(page.getByRole('link', { name: 'New contact' }));
  await input.type(page.getByLabel('Email', { exact: true }), 'nora@example.com');
  await input.type(page.getByLabel('First name'), 'Nora');
  await input.choose(page.getByLabel('Email consent'), 'Subscribed: they agreed to receive email');
  await input.click(button('Create contact'));
  await page.getByRole('heading', { name: 'Nora' }).waitFor();

  const [{ id: nora }] = (await client.get('/v2/contacts?email=nora@example.com')).data.items;
  const [workflow] = (await client.get('/v2/workflows')).data.items;
  await eventually(
    async () => (await client.get(`/v2/workflows/${workflow.id}/runs?contact_id=${nora}`)).data.items[0]?.state === 'completed',
  );
  await goTo('Campaigns');
  const opening = context.waitForEvent('page');
  await input.click(page.getByRole('link', { name: 'Local mailbox' }));
  const mailbox = await opening;
  const read = async (subject: string, text: string) => {
    await mailbox.getByRole('link', { name: subject }).first().click();
    await mailbox.frameLocator('iframe[title="Email"]').getByText(text).waitFor();
    await mailbox.goBack();
  };
  await read('Welcome, Nora', 'Thank you for signing up.');
  await read('What is new this month', 'The main story');
  assert.equal(await mailbox.getByRole('link', { name: 'What is new this month' }).count(), customersInBerlin);
});

/** Fails if the page shows JSON, as text or in a field. */
async function showsNoJson(page: Page) {
  const fields = await page
    .locator('textarea')
    .evaluateAll((all) => all.map((field) => (field instanceof HTMLTextAreaElement ? field.value : '')));
  for (const text of [await page.locator('body').innerText(), ...fields]) assert.doesNotMatch(text, /[{[]\s*"[^"]*"\s*[:,\]]/);
}
