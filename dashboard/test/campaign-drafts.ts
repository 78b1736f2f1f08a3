import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type Found, lookAt } from './accessibility.ts';
import { goToStep, idIn, openPreview, writeHtml } from './campaign-editor.ts';
import { type Journey, signInBy } from './journey.ts';

export async function campaignDrafts(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('campaigns: creates one, previews it as a contact, and sends it to the number of contacts shown', async (t) => {
    const { page } = await open(t, '/campaigns');
    await page.getByRole('link', { name: 'New campaign' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Spring');
    const audience = page.getByRole('region', { name: 'Audience so far' });
    await audience.getByText('No recipients chosen yet').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Choose a segment, or all contacts.').waitFor();
    await page.getByRole('combobox', { name: 'Include' }).fill('Cust');
    await page.getByRole('option', { name: 'Customers in Berlin' }).click();
    await page.getByRole('combobox', { name: 'Exclude' }).fill('Big');
    await page.getByRole('option', { name: 'Big teams' }).click();
    await audience.getByText('To Customers in Berlin without Big teams').waitFor();
    await audience.getByText(/^\d+ contacts$/).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('combobox', { name: 'From email' }).and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByRole('combobox', { name: 'From email' }).fill('news@example.com');

    await goToStep(page, 'Review and send');
    await page.getByText('Write a subject.').waitFor();
    await page.getByRole('button', { name: 'Go to Content' }).click();
    await audience.getByText('To Customers in Berlin without Big teams').waitFor();
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
    await page.locator('main header').first().getByText('Sent', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Results' }).getByText('Delivered').waitFor();
    const { data } = await client.get(`/v2/campaigns/${idIn(page.url())}/analytics`);
    assert.equal(data.counts.accepted, would_send);
  });

  await t.test('campaigns: never runs a script in the HTML of an email', async (t) => {
    // A copy, because what is typed is saved.
    const { id } = (await client.post(`/v2/campaigns/${demo.draft.id}/duplicate`)).data;
    const { page } = await open(t, `/campaigns/${id}`);
    await page.frameLocator('iframe[title="Email preview"]').getByText('Autumn is here').waitFor();
    const message = page.getByRole('region', { name: 'Message', exact: true });
    const field = await message.getByLabel('Preview as this contact').boundingBox();
    const subject = await message.getByRole('term').filter({ hasText: 'Subject' }).boundingBox();
    assert.ok(field && subject && subject.y - field.y - field.height < 40, 'the email follows the choice of the contact without a gap');
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

  await t.test('campaigns: schedules one, unschedules it, and duplicates it', async (t) => {
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
    await page.getByRole('button', { name: 'Back to draft' }).waitFor();
    await page.route(`**/v2/campaigns/${id}`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.problem = 'The segment could not be built.';
      await route.fulfill({ response, json });
    });
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'This campaign would fail at its start' }).getByText('could not be built').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Back to draft' }).click();
    await page.getByRole('link', { name: 'Review and send' }).waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.status, 'draft');
  });

  await t.test('templates: restores what was typed when the tab was closed, and compares it with what another user saved', async (t) => {
    const { id } = (await client.post('/v2/campaigns/templates', { ...email, name: 'Kept' })).data;
    const { page, context } = await open(t, `/campaigns/templates/${id}`);
    await page.getByLabel('Subject', { exact: true }).fill('Typed by me');
    await page.waitForFunction(
      (name) =>
        Object.entries(localStorage).some(
          ([key, draft]) => key.startsWith('mp draft ') && key.endsWith(name) && draft.includes('Typed by me'),
        ),
      `template ${id}`,
    );
    const again = await context.newPage();
    await page.close();
    await client.put(`/v2/campaigns/templates/${id}`, { subject: 'Saved by another user' });
    await again.goto(`${platform.url}/campaigns/templates/${id}`);
    const kept = again.getByRole('note').filter({ hasText: 'You have unsaved changes' });
    assert.equal(await again.getByLabel('Subject', { exact: true }).inputValue(), 'Saved by another user');
    await kept.getByRole('button', { name: 'Restore' }).click();
    assert.equal(await again.getByLabel('Subject', { exact: true }).inputValue(), 'Typed by me');

    await again.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = again.getByRole('dialog', { name: 'A newer version was saved' });
    await dialog.getByRole('row', { name: 'Subject Saved by another user Typed by me' }).waitFor();
    const found: Found = {};
    await lookAt(again, 'conflict', found, { within: '[role="dialog"]' });
    assert.deepEqual(found, {});
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    assert.equal((await client.get(`/v2/campaigns/templates/${id}`)).data.subject, 'Saved by another user');
    await again.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('button', { name: 'Overwrite with yours' }).click();
    await eventually(async () => (await client.get(`/v2/campaigns/templates/${id}`)).data.subject === 'Typed by me');
    await dialog.waitFor({ state: 'detached' });
    await again.goto(`${platform.url}/campaigns/templates/${id}`);
    await again.getByLabel('Subject', { exact: true }).waitFor();
    assert.equal(await kept.count(), 0, 'nothing is offered again once it is saved');
  });

  await t.test('templates: keeps what was typed when the session has ended by the time it is saved', async (t) => {
    const { id } = (await client.post('/v2/campaigns/templates', { ...email, name: 'Session' })).data;
    const { page, context } = await open(t, `/campaigns/templates/${id}`);
    await page.getByLabel('Subject', { exact: true }).fill('Typed for hours');
    await context.clearCookies();
    // Not the button: the preview may be the first to find out, and leads to the sign-in page.
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Your session has ended').waitFor();
    await signInBy(context, await platform.command('sign-in-link.ts'));
    await page.goto(`${platform.url}/campaigns/templates/${id}`);
    await page.getByRole('note').getByRole('button', { name: 'Restore' }).click();
    assert.equal(await page.getByLabel('Subject', { exact: true }).inputValue(), 'Typed for hours');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => (await client.get(`/v2/campaigns/templates/${id}`)).data.subject === 'Typed for hours');
  });
}

/** The content of a template. */
const email = { subject: 'Spring', html: '<p>Hello {{ contact.first_name }}</p>' };

const colorOf = (text: { evaluate: (look: (element: Element) => string) => Promise<string> }) =>
  text.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).color ?? '');
