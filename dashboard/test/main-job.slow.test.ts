import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startMailSink } from '../../tests/mail-sink.ts';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { part } from './campaign-reports.ts';
import { createCountedInput } from './counted-input.ts';
import { assertDrawnWhole } from './drawn.ts';
import { editorOf } from './emails.ts';
import { createOpen, signIn } from './journey.ts';
import { peopleFile } from './people.ts';
import { readEmail } from './readers.ts';

const people = 500;
const inBerlin = people / 4;
const [opened, clicked] = [40, 10];

test('a marketer imports people, emails a segment, reads the report and starts a workflow, by mouse alone', {
  skip: withoutBrowser,
}, async (t) => {
  // Slow enough that the progress can be seen.
  const sink = await startMailSink(t, { mood: (mail) => (mail % 10 === 0 ? 'stall' : 'take') });
  const [platform, browser] = await Promise.all([startPlatform(t, { env: { SMTP_URL: sink.url } }), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin', '--account', 'newcomers');
  const { data: user } = await client.post('/v2/settings/users', { email: 'noor@example.com', name: 'Noor', role: 'admin' });
  const open = await createOpen(t, platform, browser, signIn(browser, user.invitation_url));
  const { page } = await open(t, '/');
  const input = createCountedInput(page);
  const goTo = (place: string, within = 'Main') =>
    input.click(page.getByRole('navigation', { name: within }).getByRole('link', { name: place, exact: true }));
  const idOfPage = () => new URL(page.url()).pathname.split('/')[2];
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  // The people.
  await input.click(page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'Import contacts' }));
  await input.upload(button(/^Drop a file here/), peopleFile(people));
  await input.choose(page.getByLabel('Email consent of new contacts'), 'Subscribed: they agreed to receive email');
  await input.click(button('Import'));
  await page.getByRole('region', { name: 'Results', exact: true }).getByText('Completed').waitFor();
  const contacts = (await client.get('/v2/contacts?limit=1&include=total_count')).data;
  assert.equal(contacts.pagination.total_count, people);

  // The segment.
  await goTo('Contacts');
  await goTo('Segments', 'Pages of Contacts');
  await input.click(page.getByRole('link', { name: 'Create a segment' }));
  await input.type(page.getByLabel('Name', { exact: true }), 'Berlin');
  await input.pick(page.getByRole('combobox', { name: 'Value' }), 'Ber', 'Berlin');
  await page.getByText('People whose city is “Berlin”.').waitFor();
  await page.getByText(`${inBerlin} contacts`, { exact: true }).waitFor();
  await input.click(button('Create segment'));
  await page.getByRole('heading', { name: 'Berlin', exact: true }).waitFor();
  const segmentId = idOfPage();
  await eventually(async () => (await client.get(`/v2/segments/${segmentId}`)).data.count === inBerlin);

  // The email.
  await input.click(page.getByRole('link', { name: 'Send a campaign' }));
  await input.type(page.getByLabel('Name', { exact: true }), 'Summer');
  await input.type(page.getByRole('combobox', { name: 'From email' }), 'news@example.com');
  await input.click(button('Continue'));
  await input.type(page.getByLabel('Subject', { exact: true }), 'A day at the lake');
  const toolbar = page.getByRole('toolbar', { name: 'Formatting' });
  await input.type(editorOf(page).getByText('Write your message here.'), 'We meet in ');
  await input.click(toolbar.getByRole('button', { name: 'Insert a field' }));
  await input.click(page.getByRole('menuitem', { name: 'City', exact: true }));
  await editorOf(page).getByText('City | your city').waitFor();
  await input.click(toolbar.getByRole('button', { name: 'Insert a block' }));
  await input.click(page.getByRole('menuitem', { name: 'Button' }));
  const block = page.getByRole('region', { name: 'Selected block' });
  await input.type(block.getByLabel('Label'), 'Join us');
  await input.type(block.getByLabel('Links to'), 'https://shop.example/lake');
  await input.click(toolbar.getByRole('button', { name: 'Image' }));
  const picture = await readFile(new URL('../../docs/screenshots/overview.png', import.meta.url));
  await input.upload(page.getByLabel('Choose an image', { exact: true }), { name: 'lake.png', mimeType: 'image/png', buffer: picture });
  await editorOf(page).getByRole('img', { name: 'lake' }).waitFor();

  // The test.
  await input.click(page.getByRole('radiogroup', { name: 'View' }).getByText('Preview and checks'));
  await input.type(page.getByLabel('Preview as this contact'), 'person.0@example.com');
  await input.click(button('Preview'));
  await page.frameLocator('iframe[title="Email preview"]').getByText('We meet in Berlin').waitFor();
  await input.click(button('Send test…'));
  await input.click(page.getByRole('dialog', { name: 'Send a test' }).getByRole('button', { name: 'Send test' }));
  await page.getByText('Test sent to 1 address.').waitFor();
  const { html = '' } = await eventually(async () =>
    sink.to('noor@example.com').find(({ subject }) => subject === '[Test] A day at the lake'),
  );
  assert.match(html, /We meet in Berlin.*>Join us<\/a>/s);
  const [, image = ''] = /<img src="([^"]+)" alt="lake"/.exec(html) ?? [];
  assert.equal((await fetch(image)).headers.get('content-type'), 'image/png');

  // The dry run, and the campaign itself.
  await input.click(button('Continue'));
  await page.getByLabel('Throttle (emails per minute)').waitFor();
  await input.click(button('Continue'));
  await page.getByText(`${inBerlin} contacts would receive this now.`).waitFor();
  await input.click(button(`Send to ${inBerlin} contacts…`));
  await input.click(page.getByRole('dialog').getByRole('button', { name: `Send to ${inBerlin} contacts` }));
  await page.getByRole('progressbar', { name: 'Sending progress' }).waitFor();
  await page.getByRole('status').getByText(`of ${inBerlin} done`).waitFor();
  await input.click(part(page, 'Recipients'));
  const ledger = page.getByText(`– all ${inBerlin} recipients accounted for.`);
  await ledger.filter({ hasText: 'queued' }).waitFor();
  await page.locator('main header').first().getByText('Sent', { exact: true }).waitFor();
  // The list that stayed open follows the last emails.
  await ledger.filter({ hasNotText: /queued|sending|deferred/ }).waitFor();
  await input.click(part(page, 'Overview'));
  const campaignId = idOfPage();
  const { progress } = (await client.get(`/v2/campaigns/${campaignId}`)).data;
  assert.deepEqual(
    Object.values<number>(progress).reduce((sum, amount) => sum + amount, 0),
    inBerlin,
  );
  const emails = sink.caught.filter(({ mail }) => mail.subject === 'A day at the lake');
  assert.deepEqual([emails.length, new Set(emails.map(({ to }) => to)).size], [inBerlin, inBerlin], 'one email to each contact');
  assert.ok(emails.every(({ mail }) => mail.html?.includes('We meet in Berlin')));

  // The report.
  for (const [index, { mail }] of emails.slice(0, opened).entries()) await readEmail(mail.html ?? '', { clicks: index < clicked });
  await eventually(async () => {
    const { counts } = (await client.get(`/v2/campaigns/${campaignId}/analytics`)).data;
    return counts.opened.unique.human === opened && counts.clicked.unique.human === clicked;
  });
  await page.getByRole('table', { name: /^Opens and clicks by hour/ }).waitFor({ state: 'attached' });
  await page.locator('.recharts-area-curve').first().waitFor({ state: 'attached' });
  const results = page.getByRole('region', { name: 'Results' });
  for (const amount of [inBerlin, opened, clicked]) await results.getByText(String(amount), { exact: true }).first().waitFor();

  // The workflow.
  const settings = page.getByRole('region', { name: 'Settings' }).last();
  const card = (id: string) => page.locator(`[data-card="step:${id}"]`);
  const insert = async (where: string, step: string) => {
    await input.click(button(`Insert a step after ${where}`));
    await input.click(page.getByRole('option').getByText(step, { exact: true }));
    await assertDrawnWhole(page);
  };
  await goTo('Workflows');
  await input.click(page.getByRole('link', { name: 'Create a workflow' }));
  await input.type(page.getByLabel('Name', { exact: true }), 'Welcome');
  await insert('the trigger', 'Add tag');
  await input.type(settings.getByRole('combobox', { name: 'Tag', exact: true }), 'new');
  await insert('Add tag', 'Wait');
  await input.type(settings.getByLabel('Length', { exact: true }), '2');
  await insert('Wait', 'Branch');
  await input.pick(settings.getByRole('combobox', { name: 'Value' }), 'cus', 'customer');
  await insert('Branch, path 1', 'Send email');
  await input.click(settings.getByRole('button', { name: 'New email', exact: true }));
  const writing = page.getByRole('dialog', { name: 'New email' });
  await input.click(writing.getByRole('button', { name: 'Announcement' }));
  await input.type(writing.getByLabel('Name', { exact: true }), 'Thanks');
  await input.click(writing.getByRole('button', { name: 'Save email' }));
  await writing.waitFor({ state: 'detached' });
  await input.pick(settings.getByRole('combobox', { name: 'From address' }), 'news', 'news@example.com');
  await insert('Branch, path 2', 'Remove tag');
  await input.type(settings.getByRole('combobox', { name: 'Tag', exact: true }), 'new');
  await input.click(button('Save draft'));
  await input.click(page.getByRole('link', { name: 'Simulate' }));
  await input.type(page.getByRole('combobox', { name: 'Contact', exact: true }), 'person.0@example.com');
  await input.click(button('Simulate'));
  await card('send').and(page.locator('[data-lit]')).waitFor();
  await page
    .getByRole('list', { name: 'Effects' })
    .getByText(/^Email/)
    .waitFor();
  assert.equal(await card('remove_tag').and(page.locator('[data-lit]')).count(), 0);
  await input.click(page.getByRole('link', { name: 'Welcome', exact: true }));
  await input.click(button('Activate'));
  await button('Pause').waitFor();
  const workflow = (await client.get(`/v2/workflows/${idOfPage()}`)).data;
  assert.equal(workflow.status, 'active');
  assert.deepEqual(workflow.steps.map(({ type }: { type: string }) => type).toSorted(), [
    'add_tag',
    'branch',
    'delay',
    'exit',
    'remove_tag',
    'send',
  ]);

  const { clicks, characters, seconds } = input.effort();
  t.diagnostic(`${clicks} clicks and ${characters} typed characters, about ${seconds} seconds of a person who thinks before each click`);
});
