import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startMailSink } from '../../tests/mail-sink.ts';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen, signIn } from './journey.ts';
import { readEmail } from './readers.ts';
import { card } from './workflow-editor.ts';

const dayMs = 86_400_000;
const people = 8;

test('the report of a workflow', { skip: withoutBrowser, timeout: 600_000 }, async (t) => {
  const sink = await startMailSink(t);
  const [platform, browser] = await Promise.all([startPlatform(t, { env: { SMTP_URL: sink.url } }), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);
  const client = await platform.client('--permission', 'admin');
  const variants = [
    { name: 'Short', weight: 50, subject: 'Hi' },
    { name: 'Long', weight: 50, subject: 'Hello there' },
  ];
  const send = {
    id: 'send',
    type: 'send',
    subject: 'Hi',
    from: { email: 'news@example.com' },
    html: '<p><a href="https://shop.example/">Shop</a></p>',
    variants,
  };
  const body = { name: 'Welcome', status: 'active', trigger: { type: 'manual' }, steps: [send] };
  const created = await client.post('/v2/workflows', body);
  assert.equal(created.status, 201, created.text);
  const { id } = created.data;
  const emails = Array.from({ length: people }, (_, index) => `person.${index}@example.com`);
  for (const email of emails) {
    const { data } = await client.post('/v2/contacts', { email, consent: { email: { status: 'subscribed' } } });
    assert.equal((await client.post(`/v2/workflows/${id}/trigger`, { contact_id: data.id })).status, 202);
  }
  const { data: unconfirmed } = await client.post('/v2/contacts', {
    email: 'pending@example.com',
    consent: { email: { status: 'pending' } },
  });
  assert.equal((await client.post(`/v2/workflows/${id}/trigger`, { contact_id: unconfirmed.id })).status, 202);
  await eventually(async () => sink.caught.length === people);
  const [first = ''] = emails;
  const report = async () => (await client.get(`/v2/workflows/${id}/analytics?include=emails`)).data;
  await eventually(async () => {
    // Again, because a click within two seconds of sending is not counted as a person's.
    await readEmail(sink.to(first)[0]?.html ?? '', { clicks: true });
    return (await report()).emails.clicked === 1;
  });
  const order = { event: 'order_placed', email: first, value: { amount: 120.5, currency: 'EUR' } };
  assert.ok((await client.post('/v2/leadpulse/track', { events: [order] })).status < 300);
  await eventually(async () => (await report()).emails.conversions === 1);

  await t.test('shows each step and each variant, in the table and on the canvas, with the figures of the ledger', async (t) => {
    const { page } = await open(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Show as table' }).click();
    const table = page.getByRole('table', { name: 'Report by step' });
    await table.getByText('€120.50').first().waitFor();
    const rows = await table.getByRole('row').allInnerTexts();
    const cells = (name: string) => rows.find((row) => row.startsWith(name))?.split(/\s+/) ?? [];
    assert.deepEqual(cells('Workflow'), ['Workflow', '9', '8', '1', '12.5%', '1', '12.5%', '1', '€120.50']);
    const sent = ['Variant Short', 'Variant Long'].map((name) => Number(cells(name)[2]));
    assert.equal(
      sent.reduce((sum, one) => sum + one, 0),
      people,
    );
    const ledger = (await client.get(`/v2/campaigns/messages/ledger?workflow_id=${id}&limit=100`)).data.items;
    const inLedger = (name: string) =>
      ledger.filter(({ variant, status }: { variant: string; status: string }) => variant === name && status !== 'skipped').length;
    assert.deepEqual(sent, [inLedger('Short'), inLedger('Long')]);
    await page.getByRole('button', { name: 'Show on canvas' }).click();
    await card(page, 'send').getByText('8 sent').waitFor();
    await card(page, 'send').getByText('1 opened').waitFor();
    await card(page, 'send').getByText('€120.50').waitFor();
    const reason = card(page, 'send').getByText('1 skipped: consent not confirmed yet');
    await reason.waitFor();
    const isWhole = await reason.evaluate(
      ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth <= clientWidth && scrollHeight <= clientHeight,
    );
    assert.ok(isWhole, 'why an email was skipped can be read without hovering');
  });

  await t.test('leads to a contact whose page has its orders and revenue', async (t) => {
    const { page } = await open(t, `/workflows/${id}`);
    await page.getByRole('table', { name: 'Buyers' }).getByRole('link', { name: first }).click();
    await page.getByRole('heading', { name: first }).waitFor();
    const purchases = page.getByRole('region', { name: 'Purchases' });
    await purchases.getByText('€120.50').waitFor();
    assert.match(await purchases.innerText(), /Orders\s+1$/);
  });

  await t.test('is exported as CSV', async (t) => {
    const { page } = await open(t, `/workflows/${id}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export', exact: true }).click()]);
    const text = await download.createReadStream().then(async (stream) => (await stream.toArray()).join(''));
    assert.match(text, /send,,9,8,1,.*,120\.5 EUR/);
  });

  await t.test('keeps the emails of a step that was removed, and shows no ID for it', async (t) => {
    const { revision } = (await client.get(`/v2/workflows/${id}`)).data;
    const { variants: _, ...other } = { ...send, id: 'mail' };
    assert.equal((await client.put(`/v2/workflows/${id}`, { steps: [other] }, { 'if-match': `"${revision}"` })).status, 200);
    const { page } = await open(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page
      .getByRole('table', { name: 'Report by step' })
      .getByRole('row', { name: /^Removed step 9 8 / })
      .waitFor();
    await page.getByRole('table', { name: 'Buyers' }).getByText('Removed step').waitFor();
  });

  await t.test('is emailed to the user at the date that they choose, once, and stops with the link of the email', async (t) => {
    const invited = (await client.post('/v2/settings/users', { email: 'ada@example.com', name: 'Ada', role: 'editor' })).data;
    const openAsAda = await createOpen(t, platform, browser, signIn(browser, invited.invitation_url));
    const { page } = await openAsAda(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Email this report' }).click();
    const dialog = page.getByRole('dialog', { name: 'Email this report' });
    await dialog.getByText('Every week', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Email report' }).click();
    await page.getByText(/The report is emailed every week, first on/).waitFor();
    await platform.moveClock(8 * dayMs);
    const reports = () => sink.to('ada@example.com').filter(({ subject }) => subject === 'Report: Welcome');
    const [mail] = await eventually(async () => reports().length > 0 && reports());
    assert.match(mail?.text ?? '', /Revenue +€120\.50/);
    const link = /https?:\S+stop-report\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    const stopping = { page: await (await browser.newContext()).newPage() };
    await stopping.page.goto(link);
    await stopping.page.getByRole('button', { name: 'Stop' }).click();
    await stopping.page.getByText('You no longer get this report.').waitFor();
    assert.deepEqual((await client.get(`/v2/report-emails?workflow_id=${id}`)).data.items, []);
    assert.equal(reports().length, 1);
  });
});
