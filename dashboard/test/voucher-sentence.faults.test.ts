import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { BrowserContext, Page } from 'playwright-core';
import { startMailSink } from '../../tests/mail-sink.ts';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { assertDrawnWhole } from './drawn.ts';
import { createKeyboard, createMouse, type Hands } from './hands.ts';
import { createOpen, signInBy } from './journey.ts';
import { readEmail } from './readers.ts';
import { addCustomers, buyersInBerlin, order } from './voucher-customers.ts';
import { card } from './workflow-editor.ts';

const sentence =
  'Everybody in Berlin who bought twice in the last 90 days gets a mail with a 10 % voucher in our colours; who does not open it ' +
  'within three days gets a reminder with another subject; tell me a week later how much was sold, and to whom';

const color = '#0a7d4f';
const [subject, reminder] = ['10% for you', 'Your voucher is still here'];
const dayMs = 86_400_000;
/** Who reads what: the first open the email, of whom some click; of the others, some click in the reminder. */
const openers = buyersInBerlin.slice(0, 5);
const clickers = buyersInBerlin.slice(0, 3);
const reminded = buyersInBerlin.slice(5);
const lateClickers = buyersInBerlin.slice(5, 7);

test(`by mouse: ${sentence}`, { skip: withoutBrowser, timeout: 900_000 }, async (t) => {
  await carryOut(t, async (page) => createMouse(page));
});

test(`by keyboard alone: ${sentence}`, { skip: withoutBrowser, timeout: 900_000 }, async (t) => {
  await carryOut(t, createKeyboard);
});

async function carryOut(t: TestContext, handsOn: (page: Page) => Promise<Hands & { effort?: () => object }>) {
  const sink = await startMailSink(t);
  const [platform, browser] = await Promise.all([startPlatform(t, { env: { SMTP_URL: sink.url } }), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  await addCustomers(client);
  const open = await createOpen(t, platform, browser);
  const { page, context } = await open(t, '/');
  const hands = await handsOn(page);
  await page.goto(platform.url);
  const codeOf = (html = '') => /VOUCHER-[A-Z0-9]+/.exec(html)?.[0];
  const mailsTo = (email: string) =>
    sink.to(email).map((mail) => ({ subject: mail.subject, code: codeOf(mail.html), html: mail.html ?? '' }));

  const workflowId = await prepare(page, hands);
  const { effort } = hands;
  if (effort) t.diagnostic(JSON.stringify(effort()));

  // The voucher: one email to each of them and to nobody else, each with its own code.
  await eventually(async () => sink.caught.length >= buyersInBerlin.length);
  const sent = buyersInBerlin.map((email) => mailsTo(email));
  assert.ok(sent.every((mails) => mails.length === 1 && mails[0]?.subject === subject && mails[0].html.includes(color)));
  const codes = new Set(sent.map(([mail]) => mail?.code));
  assert.deepEqual([codes.size, codes.has(undefined)], [buyersInBerlin.length, false]);

  // A run notices after the mail server that its email was sent; its three days begin then.
  const runs = async (): Promise<{ step_id: string | null }[]> =>
    (await client.get(`/v2/workflows/${workflowId}/runs?status=waiting`)).data.items;
  await eventually(async () => (await runs()).filter(({ step_id }) => step_id === 'wait_until').length === buyersInBerlin.length);

  // A day later, some read it and buy.
  await platform.moveClock(dayMs);
  for (const email of openers) await readEmail(mailsTo(email)[0]?.html ?? '', { clicks: clickers.includes(email) });
  const counted = async () => (await client.get(`/v2/campaigns/messages/analytics?workflow_id=${workflowId}`)).data.counts;
  await eventually(async () => (await counted()).opened.unique.human === openers.length);
  await order(client, clickers, 50);
  await eventually(async () => (await counted()).conversions === clickers.length);

  // After three days, exactly those who did not open it get the reminder, with their code.
  await platform.moveClock(2 * dayMs + 3_600_000);
  await eventually(async () => sink.caught.length >= buyersInBerlin.length + reminded.length);
  for (const email of openers) assert.equal(mailsTo(email).length, 1, email);
  for (const email of reminded) {
    const [first, second, ...more] = mailsTo(email);
    assert.deepEqual([second?.subject, second?.code, more], [reminder, first?.code, []], email);
  }
  await platform.moveClock(dayMs / 2);
  for (const email of lateClickers) await readEmail(mailsTo(email)[1]?.html ?? '', { clicks: true });
  await eventually(async () => (await counted()).clicked.unique.human === clickers.length + lateClickers.length);
  await order(client, lateClickers, 25.5);
  await eventually(async () => (await counted()).conversions === clickers.length + lateClickers.length);

  // A week later, one page says how much was sold, and to whom.
  await platform.moveClock(7 * dayMs);
  await returnTo(context, platform.command('sign-in-link.ts'));
  await page.goto(platform.url);
  await hands.press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Workflows', exact: true }));
  await hands.press(page.getByRole('link', { name: 'Voucher', exact: true }));
  await hands.press(page.getByRole('button', { name: 'Show as table' }));
  const total = page.getByRole('table', { name: 'Report by step' }).getByRole('row', { name: /^Workflow/ });
  await total.getByText('€201').waitFor();
  assert.deepEqual((await total.innerText()).split(/\s+/), ['Workflow', '12', '19', '7', '36.8%', '5', '26.3%', '5', '€201']);
  const buyers = page.getByRole('table', { name: 'Buyers' });
  await buyers
    .getByRole('row')
    .nth(clickers.length + lateClickers.length)
    .waitFor();
  const shown = await buyers.getByRole('row').allInnerTexts();
  const spent = new Map([...clickers.map((email) => [email, '€50'] as const), ...lateClickers.map((email) => [email, '€25.5'] as const)]);
  for (const [email, amount] of spent) {
    const code = mailsTo(email)[0]?.code ?? '';
    assert.ok(
      shown.some((row) => row.includes(email) && row.includes(amount) && row.includes(code)),
      `${email} in ${shown.join(' | ')}`,
    );
  }
  assert.equal(shown.length, 2 + clickers.length + lateClickers.length, 'the heading, the buyers and their total');
}

/** A sign-in of somebody who comes back after days. */
const returnTo = async (context: BrowserContext, link: Promise<string>) => signInBy(context, await link);

/** Colors, codes, segment and workflow, to the click that starts it. Returns the ID of the workflow. */
async function prepare(page: Page, { press, type, choose, pick, take, insert, write }: Hands): Promise<string> {
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const goTo = (place: string) => press(page.getByRole('link', { name: place, exact: true }));

  await goTo('Settings');
  await goTo('Brand');
  await type(page.getByRole('textbox', { name: 'Buttons and links', exact: true }), color);
  await press(button('Save'));
  await page.getByText('Saved.').first().waitFor();

  await goTo('Campaigns');
  await goTo('Coupons');
  await press(button('New coupon'));
  const creating = page.getByRole('dialog', { name: 'New coupon' });
  await type(creating.getByLabel('Name'), 'berlin');
  await type(creating.getByLabel('Number of codes'), '100');
  await type(creating.getByLabel('Prefix'), 'VOUCHER-');
  await press(creating.getByRole('button', { name: 'Create coupon' }));
  await page.getByText('100 of 100').waitFor();

  await goTo('Contacts');
  await goTo('Segments');
  await goTo('New segment');
  await type(page.getByLabel('Name', { exact: true }), 'Regulars in Berlin');
  await pick(page.getByRole('combobox', { name: 'Value' }), 'Ber', 'Berlin');
  await take(button('Add condition'), 'Orders');
  await type(page.getByLabel('Times', { exact: true }), '2');
  await choose(page.getByLabel('Within the last'), 'in the last 90 days');
  await page.getByText(`${buyersInBerlin.length} contacts`, { exact: true }).waitFor();
  await press(button('Create segment'));
  await page.getByRole('heading', { name: 'Regulars in Berlin' }).waitFor();

  await take(button('Workflow'), 'Workflow for new members');
  const settings = page.getByRole('region', { name: 'Settings' }).last();
  await type(page.getByLabel('Name', { exact: true }), 'Voucher');
  await insert('the trigger', 'Send email', 'send');
  await press(settings.getByRole('button', { name: 'New email', exact: true }));
  const writing = page.getByRole('dialog', { name: 'New email' });
  await press(writing.getByRole('button', { name: 'Start from scratch' }));
  await type(writing.getByLabel('Name', { exact: true }), 'Voucher for regulars');
  await type(writing.getByLabel('Subject', { exact: true }), subject);
  await write({ text: '10% off your next order with this code: ', coupon: 'berlin', label: 'To the shop', href: 'https://shop.example/' });
  await press(writing.getByRole('button', { name: 'Save email' }));
  await writing.waitFor({ state: 'detached' });
  await type(settings.getByRole('combobox', { name: 'From address' }), 'news@example.com');
  await insert('Send email', 'Wait until', 'wait_until');
  // What is most likely after an email is already there.
  await card(page, 'wait_until')
    .getByText(/opened.*for up to 3 days/i)
    .waitFor();
  await insert('Wait until, path 2', 'Send email', 'send-2');
  await pick(settings.getByRole('combobox', { name: 'Template' }), 'Voucher', 'Voucher for regulars');
  await type(settings.getByLabel('Subject'), reminder);
  await assertDrawnWhole(page);
  await press(button('Activate'));
  const asking = page.getByRole('dialog', { name: 'Activate this workflow?' });
  await asking.getByText(`${buyersInBerlin.length} contacts match now.`).waitFor();
  await asking.getByText(`up to ${buyersInBerlin.length} emails are sent in the first hour`).waitFor();
  await press(asking.getByRole('button', { name: 'Start them too' }));
  await button('Pause').waitFor();
  const [, , workflowId = ''] = new URL(page.url()).pathname.split('/');
  return workflowId;
}
