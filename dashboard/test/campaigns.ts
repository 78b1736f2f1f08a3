import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { type Found, lookAt } from './every-page.ts';
import type { Journey } from './journey.ts';
import { readEmails } from './readers.ts';

export async function campaigns(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('campaigns: creates one, previews it as a contact, and sends it to the number of contacts shown', async (t) => {
    const { page } = await open(t, '/campaigns');
    await page.getByRole('link', { name: 'New campaign' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Spring');
    await page.getByRole('combobox', { name: 'Include' }).fill('Cust');
    await page.getByRole('option', { name: 'Customers in Berlin' }).click();
    await page.getByRole('button', { name: 'Remove All contacts' }).or(page.locator('.mantine-Pill-remove')).first().click({ force: true });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('From email').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('From email').fill('news@example.com');

    await goToStep(page, 'Review and send');
    await page.getByText('Write a subject.').waitFor();
    await page.getByRole('button', { name: 'Go to Content' }).click();
    await page.getByLabel('Subject', { exact: true }).fill('Dear {{ contact.first_name }}');
    await page.getByRole('radiogroup', { name: 'Format' }).getByText('HTML').click();
    const html = '<style>p { color: red }</style><p>Dear <b style="color: #00f">{{ contact.first_name }}</b></p>';
    await writeHtml(page, html);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { name: 'Edit Spring' }).waitFor();
    await page.reload();
    await page
      .getByRole('button', { name: /Content$/ })
      .and(page.locator('[aria-current=step]'))
      .waitFor();
    await openPreview(page);
    await page.getByLabel('Preview as this contact').fill('ada.0@example.com');
    await page.getByLabel('Preview as this contact').press('Enter');
    const mail = page.frameLocator('iframe[title="Email preview"]');
    await mail.getByText('Ada').waitFor();
    assert.deepEqual(
      [await colorOf(mail.getByText('Dear')), await colorOf(mail.getByText('Ada'))],
      ['rgb(255, 0, 0)', 'rgb(0, 0, 255)'],
      'the email keeps its styles although inline styles are blocked',
    );

    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Throttle (emails per minute)').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('would receive this now').waitFor();
    const { would_send } = (await client.post(`/v2/campaigns/${idIn(page.url())}/dry-run`)).data;
    const send = page.getByRole('button', { name: `Send to ${would_send} contacts…` });
    const dialog = page.getByRole('dialog', { name: 'Send this campaign now?' });
    await send.click();
    const found: Found = {};
    await lookAt(page, 'confirmation', found, { within: '[role="dialog"]' });
    assert.deepEqual(found, {});
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await client.get(`/v2/campaigns/${idIn(page.url())}`)).data.status, 'draft');
    await send.click();
    await dialog.getByRole('button', { name: `Send to ${would_send} contacts` }).click();
    await page.getByRole('region', { name: 'Campaign', exact: true }).getByText('Sent').waitFor();
    await page.getByRole('region', { name: 'Results' }).getByText('Accepted').waitFor();
    const { data } = await client.get(`/v2/campaigns/${idIn(page.url())}/analytics`);
    assert.equal(data.counts.accepted, would_send);
  });

  await t.test('campaigns: never runs a script in the HTML of an email', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.draft.id}`);
    await page.frameLocator('iframe[title="Email preview"]').getByText('Autumn is here').waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await goToStep(page, 'Content');
    const attack =
      '<svg onload=alert(1)></svg><a href="javascript:alert(2)">press</a><iframe src="javascript:alert(3)"></iframe><p>last</p>';
    await writeHtml(page, attack);
    await openPreview(page);
    const written = page.frameLocator('iframe[title="Unsaved email preview"]');
    await written.getByText('last').waitFor();
    await written.getByText('press').click();
    assert.equal(await written.locator('script, iframe, [onload], [href], [src]').count(), 0);
    // The window fails the test if a script ran, anything was loaded from elsewhere, or the console has an error.
  });

  await t.test('campaigns: accounts for every recipient, and explains each one', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    await page.getByText('– all 100 recipients accounted for.').waitFor();
    await page.getByRole('row', { name: /Accepted.*92 \/ 92/ }).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('skipped');
    await page.getByRole('table', { name: 'Recipients' }).getByText('unsubscribed').first().waitFor();
    await page.getByRole('table', { name: 'Recipients' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'Message' }).getByText('Skipped').waitFor();
  });

  await t.test('campaigns: reports opens and clicks over time, links, devices, domains, and exports that', async (t) => {
    await readEmails(platform.url);
    await eventually(async () => (await client.get(`/v2/campaigns/${demo.sent.id}/analytics`)).data.counts.clicked.unique.human > 5);
    const { page } = await open(t, '/campaigns');
    await page
      .getByRole('row', { name: /Autumn release/ })
      .getByText(/^\d+(\.\d)?%$/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Autumn release' }).click();
    await page.getByRole('table', { name: /^Opens and clicks by/ }).waitFor({ state: 'attached' });
    await page
      .getByRole('table', { name: 'Links' })
      .getByRole('row', { name: /^example\.com\/autumn \d+ 100%$/ })
      .waitFor();
    await page
      .frameLocator('iframe[title="Click map"]')
      .getByText(/^\d+ · 100%$/)
      .waitFor();
    await page
      .getByRole('table', { name: 'Devices' })
      .getByRole('row', { name: /^Desktop/ })
      .waitFor();
    await page.getByLabel('Opens by').selectOption('Email domain');
    await page
      .getByRole('table', { name: 'Domains' })
      .getByRole('row', { name: /^example\.com 92 accepted, 0 bounced/ })
      .waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'By link' }).click();
    assert.equal((await downloading).suggestedFilename(), `${demo.sent.id}-analytics.csv`);
  });

  await t.test('campaigns: makes a segment of those who opened one but did not click, once', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    const make = async () => {
      await page.getByRole('button', { name: 'Create a segment' }).click();
      await page.getByRole('menuitem', { name: "Opened it, but didn't click" }).click();
      await page.getByRole('heading', { name: "Autumn release: opened it, but didn't click" }).waitFor();
    };
    await make();
    const url = page.url();
    const { definition } = (await client.get(`/v2/segments/${url.split('/').at(-1)}`)).data;
    assert.deepEqual(definition, {
      all: [
        { campaign: demo.sent.id, activity: 'opened' },
        { campaign: demo.sent.id, activity: 'clicked', count: { eq: 0 } },
      ],
    });
    await page.goBack();
    await make();
    assert.equal(page.url(), url);
  });

  await t.test('campaigns: compares one with another', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    await page.getByLabel('Compare with another campaign').selectOption('Spring');
    const table = page.getByRole('table', { name: 'Comparison' });
    await table.getByRole('columnheader', { name: 'Spring' }).waitFor();
    await table.getByRole('row', { name: /^Accepted 92/ }).waitFor();
    const found: Found = {};
    await lookAt(page, 'report', found, { within: 'main' });
    assert.deepEqual(found, {});
  });

  await t.test('campaigns: pauses, resumes and cancels one that is being sent', async (t) => {
    const { id } = (
      await client.post('/v2/campaigns', {
        name: 'Slow',
        subject: 'Slow',
        from: { email: 'news@example.com' },
        html: '<p>Slow</p>',
        audience: { include: ['all'] },
        throttle_per_minute: 1,
      })
    ).data;
    await client.post(`/v2/campaigns/${id}/send`);
    const { page } = await open(t, `/campaigns/${id}`);
    await page
      .getByRole('status')
      .getByText(/of \d+ done/)
      .waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByRole('region', { name: 'Campaign', exact: true }).getByText('Cancelled').waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.status, 'cancelled');
  });

  await t.test('campaigns: schedules one, takes it back, and duplicates it', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.draft.id}`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Edit Winter offer (copy)' }).waitFor();
    const id = idIn(page.url());
    await goToStep(page, 'Review and send');
    await page.getByLabel('Schedule (optional)').fill('2099-12-24T09:00');
    await page.getByRole('button', { name: /^Schedule to \d+ contacts…$/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Schedule this campaign?' });
    await dialog.getByRole('button', { name: /^Schedule to/ }).click();
    await dialog.getByText(/at most|a year/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const soon = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 16);
    await page.getByLabel('Schedule (optional)').fill(soon);
    await page.getByRole('button', { name: /^Schedule to \d+ contacts…$/ }).click();
    await dialog.getByRole('button', { name: /^Schedule to/ }).click();
    await page.getByRole('button', { name: 'Back to draft' }).click();
    await page.getByRole('link', { name: 'Review and send' }).waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.status, 'draft');
  });

  await t.test('campaigns: offers no Pause while the audience of one is frozen', async (t) => {
    const { page } = await open(t, '/campaigns');
    await page.route(`**/v2/campaigns/${demo.sent.id}`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.status = 'freezing';
      await route.fulfill({ response, json });
    });
    await page.goto(`${platform.url}/campaigns/${demo.sent.id}`);
    await page.getByRole('button', { name: 'Cancel campaign' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
  });

  await t.test('campaigns: links to the local mailbox', async (t) => {
    const { page, context } = await open(t, '/campaigns');
    assert.equal(await page.getByRole('link', { name: 'Local mailbox' }).getAttribute('href'), '/t/mailbox');
    await eventually(async () => (await (await context.request.get(`${platform.url}/t/mailbox`)).text()).includes('Dear Ada'));
    await page.goto(`${platform.url}/t/mailbox`);
    await page.getByRole('link', { name: 'Dear Ada' }).first().click();
    await page.getByRole('heading', { name: 'Dear Ada' }).waitFor();
    await page.getByText('news@example.com').first().waitFor();
    await page.frameLocator('iframe[title="Email"]').getByText('Unsubscribe').waitFor();
    const found: Found = {};
    await lookAt(page, 'mail', found);
    assert.deepEqual(found, {});
  });
}

/** Replaces the HTML as a person does: `fill` would make the browser keep the color of the code as an inline style. */
export async function writeHtml(page: Page, html: string) {
  await page.getByRole('textbox', { name: 'HTML' }).press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(html);
}

export const goToStep = (page: Page, name: string) => page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name }).click();

const openPreview = (page: Page) => page.getByRole('radiogroup', { name: 'View' }).getByText('Preview and checks').click();

const idIn = (url: string) => new URL(url).pathname.split('/')[2];

const colorOf = (text: { evaluate: (look: (element: Element) => string) => Promise<string> }) =>
  text.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).color ?? '');
