import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { type Found, lookAt } from './accessibility.ts';
import { type Journey, signInBy } from './journey.ts';
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
    await page.getByRole('combobox', { name: 'From email' }).and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByRole('combobox', { name: 'From email' }).fill('news@example.com');

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

  await t.test('campaigns: accounts for every recipient, and explains each one', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    await page.getByText('– all 100 recipients accounted for.').waitFor();
    await page.getByRole('row', { name: /Accepted.*92 \/ 92/ }).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('skipped');
    await page.getByRole('table', { name: 'Recipients' }).getByText('unsubscribed').first().waitFor();
    await page.getByRole('table', { name: 'Recipients' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'Message' }).getByText('Skipped').waitFor();
  });

  await t.test('campaigns: reports opens and clicks over time, links, devices and domains, and exports the report', async (t) => {
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
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'By link' }).click();
    assert.equal((await downloading).suggestedFilename(), `${demo.sent.id}-analytics.csv`);
  });

  await t.test('campaigns: lists, exports and puts into a segment the recipients that clicked', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    const recipients = page.getByRole('region', { name: 'Recipients' });
    await recipients.getByLabel('Status', { exact: true }).selectOption('Clicked a link');
    const { items } = (await client.get(`/v2/campaigns/${demo.sent.id}/ledger?engagement=clicked&limit=100`)).data;
    assert.ok(items.length > 5);
    await recipients.getByRole('link', { name: items[0].address }).waitFor();
    const downloading = page.waitForEvent('download');
    await recipients.getByRole('link', { name: 'Export recipients' }).click();
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n');
    assert.equal(lines.length, items.length + 1);
    await recipients.getByRole('button', { name: 'Create a segment' }).click();
    await page.getByRole('heading', { name: 'Autumn release: clicked a link' }).waitFor();
  });

  await t.test('campaigns: finds them by words of their name, in a list that can be bookmarked', async (t) => {
    const { page } = await open(t, '/campaigns');
    await page.getByRole('searchbox', { name: 'Search' }).fill('release aut');
    await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
    await page.waitForURL(/q=release/);
    await page.reload();
    await page.getByRole('link', { name: 'Autumn release' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Winter offer' }).count(), 0);
    await page.getByRole('button', { name: 'Created', exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Updated', exact: true }).count(), 0, 'a search has no such order');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('link', { name: 'Winter offer' }).first().waitFor();
  });

  await t.test('campaigns: creates a segment of the contacts that opened one but did not click, only once', async (t) => {
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

  await t.test('campaigns: shows the rate and why emails wait while one is being sent; pauses, resumes and cancels it', async (t) => {
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
    await page.getByText(/^at most 1 email per minute$/i).waitFor();
    await page.route(`**/v2/campaigns/${id}`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const [next_at, last_at] = [3, 8].map((hours) => new Date(Date.now() + (hours + 0.5) * 3_600_000).toISOString());
      json.data.timing = { waiting: 80, next_at, last_at, reasons: [{ reason: 'quiet_hours', waiting: 80 }] };
      await route.fulfill({ response, json });
    });
    await page.getByText('80 emails wait for the end of quiet hours. The next is due in 3 hours, the last in 8 hours.').waitFor();
    await page.unroute(`**/v2/campaigns/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByRole('region', { name: 'Campaign', exact: true }).getByText('Cancelled').waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.status, 'cancelled');
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

  await t.test('campaigns: sets up an A/B test and a hold-out group, and previews each variant', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...tested, name: 'Two subjects' })).data;
    const { page } = await open(t, `/campaigns/${id}/edit?step=settings`);
    await page.getByLabel('Test versions of this email against each other').check();
    const variant = (name: string) => page.getByRole('group', { name: `Variant ${name}` });
    await variant('A').getByLabel('Subject').fill('Spring is here');
    await variant('B').getByLabel('Subject').fill('Something new');
    await variant('B').getByLabel('Sender name').fill('Grace');
    await page.getByRole('button', { name: 'Add a variant' }).click();
    await variant('C').getByLabel('Share of the test').fill('40');
    await page.getByLabel('Hold out').fill('95');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The shares must add up to 100%. They add up to 107%.').waitFor();
    await page.getByText('Enter a whole number from 1 to 90').waitFor();
    await page.getByRole('button', { name: 'Remove variant C' }).click();
    await page.getByLabel('Hold out').fill('10');
    await page.getByLabel('Test on').fill('50');
    const found: Found = {};
    await lookAt(page, 'A/B test', found);
    assert.deepEqual(found, {});
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Variant', { exact: true }).selectOption('Variant B');
    await page.getByText('Something new').waitFor();
    const { ab_test, holdout_percent } = (await client.get(`/v2/campaigns/${id}`)).data;
    assert.deepEqual(
      ab_test.variants.map(({ subject, weight, from }: Record<string, unknown>) => ({ subject, weight, from })),
      [
        { subject: 'Spring is here', weight: 50, from: null },
        { subject: 'Something new', weight: 50, from: { email: 'news@example.com', name: 'Grace' } },
      ],
    );
    assert.deepEqual([ab_test.sample_percent, ab_test.duration_minutes, holdout_percent], [50, 240, 10]);
  });

  await t.test('campaigns: counts the chosen event as a conversion, and says so in the review', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...tested, name: 'Orders' })).data;
    const { page } = await open(t, `/campaigns/${id}/edit?step=settings`);
    const event = page.getByRole('combobox', { name: 'Conversion event' });
    await event.fill('order');
    await page.getByRole('option', { name: 'order_placed' }).click();
    await page.getByLabel('Days after the last click').fill('91');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Enter a whole number of days from 1 to 90.').waitFor();
    await page.getByLabel('Days after the last click').fill('14');
    await page.getByRole('button', { name: 'Continue' }).click();
    const conversions = page.getByRole('region', { name: 'Conversions' });
    await conversions.getByText('order_placed, within 14 days of the last click').waitFor();
    assert.deepEqual((await client.get(`/v2/campaigns/${id}`)).data.conversion, { event: 'order_placed', window_days: 14 });
    await conversions.getByRole('button', { name: 'Change the event' }).click();
    assert.equal(await event.inputValue(), 'order_placed');
  });

  await t.test('campaigns: schedules one at the local time of each contact, with UTM parameters', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...tested, name: 'Local' })).data;
    const { page } = await open(t, `/campaigns/${id}/edit?step=settings`);
    await page.getByLabel('When it is scheduled, send it').selectOption('To each contact at the local time of the contact');
    const zone = page.getByRole('combobox', { name: 'Time zone of contacts without one' });
    await zone.fill('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await page.getByLabel('Add UTM parameters').check();
    await page.getByLabel('Source', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Enter a source').waitFor();
    await page.getByLabel('Source', { exact: true }).fill('spring');
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await page.getByRole('button', { name: /^Schedule to/ }).isDisabled(), true, 'it needs a time');
    await page.getByRole('list', { name: 'Time zones' }).getByText('in Asia/Tokyo, or without a time zone').waitFor();
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Schedule', { exact: true }).fill(`${day}T09:00`);
    await page.getByRole('button', { name: /^Schedule to/ }).click();
    await page.getByRole('dialog').getByText('9:00 AM local time').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Schedule to/ })
      .click();
    await page.waitForURL(`${platform.url}/campaigns/${id}`);
    const { status, schedule_at, utm } = (await client.get(`/v2/campaigns/${id}`)).data;
    assert.deepEqual([status, schedule_at, utm.source], ['scheduled', `${day}T00:00:00.000Z`, 'spring']);
  });

  await t.test('campaigns: selects the winner of an A/B test by hand; shows the hold-out group and the links of a variant', async (t) => {
    const variants = [
      { weight: 50, subject: 'One' },
      { weight: 50, subject: 'Two', html: conditional },
    ];
    const ab_test = { variants, sample_percent: 50, metric: 'opens', selection: 'manual' };
    const { id } = (await client.post('/v2/campaigns', { ...tested, name: 'By hand', ab_test, holdout_percent: 20 })).data;
    await client.post(`/v2/campaigns/${id}/send`);
    const { page } = await open(t, `/campaigns/${id}`);
    const test = page.getByRole('region', { name: 'A/B test' });
    await test.getByText('The rest waits until you select a winner.').waitFor();
    await test.getByRole('button', { name: 'Select variant B' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Select the winner' }).click();
    await test.getByRole('row', { name: /Two\s*Winner/ }).waitFor();
    await page.getByRole('region', { name: 'Campaign', exact: true }).getByText('Sent').waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.ab_result.winner, 'b');
    const { holdout } = (await client.get(`/v2/campaigns/${id}/analytics`)).data;
    const groups = page.getByRole('table', { name: 'Hold-out group' });
    await groups.getByRole('row', { name: `Held out (20%) ${holdout.held_out.recipients}` }).waitFor();
    await groups.getByRole('row', { name: `Emailed ${holdout.emailed.recipients}` }).waitFor();
    await page.getByLabel('Variant of the click map').selectOption('Variant B');
    const map = page.frameLocator('iframe[title="Click map"]');
    await map.getByText('Only some see this').waitFor();
    assert.deepEqual(await map.locator('mark').allTextContents(), ['0', '0']);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'By variant' }).waitFor();
  });

  await t.test('campaigns: restores what was typed when the tab was closed, and compares it with what another user saved', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...tested, name: 'Kept' })).data;
    const { page, context } = await open(t, `/campaigns/${id}/edit?step=content`);
    await page.getByLabel('Subject', { exact: true }).fill('Typed by me');
    await page.waitForFunction(
      (name) =>
        Object.entries(localStorage).some(
          ([key, draft]) => key.startsWith('mp draft ') && key.endsWith(name) && draft.includes('Typed by me'),
        ),
      `campaign ${id}`,
    );
    const again = await context.newPage();
    await page.close();
    await client.put(`/v2/campaigns/${id}`, { subject: 'Saved by another user' });
    await again.goto(`${platform.url}/campaigns/${id}/edit?step=content`);
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
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.subject, 'Saved by another user');
    await again.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('button', { name: 'Save your version' }).click();
    await eventually(async () => (await client.get(`/v2/campaigns/${id}`)).data.subject === 'Typed by me');
    await dialog.waitFor({ state: 'detached' });
    await again.goto(`${platform.url}/campaigns/${id}/edit?step=content`);
    await again.getByLabel('Subject', { exact: true }).waitFor();
    assert.equal(await kept.count(), 0, 'nothing is offered again once it is saved');
  });

  await t.test('campaigns: keeps what was typed when the session has ended by the time it is saved', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...tested, name: 'Session' })).data;
    const { page, context } = await open(t, `/campaigns/${id}/edit?step=content`);
    await page.getByLabel('Subject', { exact: true }).fill('Typed for hours');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Your session has ended').waitFor();
    await signInBy(context, await platform.command('sign-in-link.ts'));
    await page.goto(`${platform.url}/campaigns/${id}/edit?step=content`);
    await page.getByRole('note').getByRole('button', { name: 'Restore' }).click();
    assert.equal(await page.getByLabel('Subject', { exact: true }).inputValue(), 'Typed for hours');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => (await client.get(`/v2/campaigns/${id}`)).data.subject === 'Typed for hours');
  });

  await t.test('campaigns: offers no Pause while an audience is being frozen', async (t) => {
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

/** An email with a part that most recipients do not get. */
const conditional =
  '{% if contact.address.city == "Atlantis" %}<a href="https://example.com/atlantis">Only some see this</a>{% endif %} <a href="https://example.com/t/all">All</a>';

/** A campaign for tests of variants. */
const tested = {
  subject: 'Spring',
  from: { email: 'news@example.com' },
  html: '<p>Hello {{ contact.first_name }}</p>',
  audience: { include: ['all'] },
};
