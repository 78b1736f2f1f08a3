import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

const matching = 11;

test('activating a workflow asks whether the contacts that match now start, too', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);
  const client = await platform.client('--permission', 'admin');
  for (let index = 0; index < matching; index += 1) {
    const body = { email: `person.${index}@example.com`, address: { city: 'Berlin' } };
    assert.equal((await client.post('/v2/contacts', body)).status, 201);
  }
  const definition = { field: 'address.city', op: 'eq', value: 'Berlin' };
  const { id: segment_id } = (await client.post('/v2/segments', { name: 'Berlin', definition })).data;
  await eventually(async () => (await client.get(`/v2/segments/${segment_id}`)).data.count === matching);
  const draft = async (steps: object[]) =>
    (await client.post('/v2/workflows', { name: 'W', status: 'draft', trigger: { type: 'segment_entered', segment_id }, steps })).data.id;
  const runsOf = async (id: string) => (await client.get(`/v2/workflows/${id}/runs?limit=100`)).data.items.length;
  const tag = [{ id: 'tag', type: 'add_tag', tag: 'started' }];

  await t.test('starts them with one more click, after showing how many there are', async (t) => {
    const id = await draft(tag);
    const { page } = await open(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Activate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate this workflow?' });
    await dialog.getByText(`${matching} contacts match now.`).waitFor();
    await dialog.getByText('No emails are sent in the first hour.').waitFor();
    await dialog.getByRole('button', { name: 'Start them too' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await eventually(async () => (await client.get(`/v2/workflows/${id}`)).data.enrollment.status === 'completed');
    assert.equal(await runsOf(id), matching);
  });

  await t.test('starts only new ones by keyboard', async (t) => {
    const id = await draft(tag);
    const { page } = await open(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Activate' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Activate this workflow?' });
    await dialog.getByText(`${matching} contacts match now.`).waitFor();
    await dialog.getByRole('button', { name: 'Only new ones' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const { status, enrollment } = (await client.get(`/v2/workflows/${id}`)).data;
    assert.deepEqual([status, enrollment, await runsOf(id)], ['active', null, 0]);
  });

  await t.test('leads from the editor to the page of the workflow, however long the numbers take to be read again', async (t) => {
    const { page } = await open(t, `/workflows/${await draft(tag)}/edit`);
    await page.getByRole('button', { name: 'Activate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate this workflow?' });
    await dialog.getByText(`${matching} contacts match now.`).waitFor();
    await page.route('**/activation', () => new Promise(() => undefined));
    await dialog.getByRole('button', { name: 'Start them too' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  await t.test('starts those who had the event in the past days, as many as the dialog says for the days that are chosen', async (t) => {
    const buyer = (index: number, daysAgo: number) => ({
      ...{ event: 'order_placed', email: `person.${index}@example.com`, backfill: true, message_id: `order-${index}` },
      timestamp: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
    });
    const events = [buyer(0, 2), buyer(1, 5), buyer(2, 20), buyer(3, 60)];
    assert.equal((await client.post('/v2/leadpulse/track', { events })).status < 300, true);
    const trigger = { type: 'event', name: 'order_placed' };
    const { id } = (await client.post('/v2/workflows', { name: 'Thanks', status: 'draft', trigger, steps: tag })).data;
    await eventually(async () => (await client.get(`/v2/workflows/${id}/activation?past_days=90`)).data.contacts === 4);
    const { page } = await open(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Activate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate this workflow?' });
    await dialog.getByText('3 contacts had the event “Order placed” in the past 30 days.').waitFor();
    await dialog.getByLabel('Look back').fill('7');
    await dialog.getByText('2 contacts had the event “Order placed” in the past 7 days.').waitFor();
    await dialog.getByRole('button', { name: 'Start them too' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await eventually(async () => (await client.get(`/v2/workflows/${id}`)).data.enrollment.status === 'completed');
    assert.equal(await runsOf(id), 2);
  });

  await t.test('asks a second time before more than 1,000 emails in the first hour', async (t) => {
    const from = { email: 'news@example.com' };
    const steps = Array.from({ length: 100 }, (_, index) => ({
      ...{ id: `mail${index}`, type: 'send', subject: 'Hi', from, html: '<p>Hi</p>' },
      ...(index < 99 && { next: `mail${index + 1}` }),
    }));
    const id = await draft(steps);
    const { page } = await open(t, `/workflows/${id}`);
    await page.getByRole('button', { name: 'Activate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate this workflow?' });
    await dialog.getByText('If they start too, up to 1,100 emails are sent in the first hour.').waitFor();
    await dialog.getByRole('button', { name: 'Start them too' }).click();
    await dialog.getByText("Emails that have been sent can't be taken back.").waitFor();
    assert.equal((await client.get(`/v2/workflows/${id}`)).data.status, 'draft');
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByRole('button', { name: 'Only new ones' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await client.get(`/v2/workflows/${id}`)).data.status, 'draft');
  });

  await t.test('says beforehand how many codes a coupon of its emails has left, even if no contacts match now', async (t) => {
    await client.post('/v2/campaigns/coupons', { name: 'spring', generate: { count: 5 } });
    await client.post('/v2/campaigns/coupons', { name: 'used_up' });
    const email = { subject: 'Hi', from: { email: 'news@example.com' } };
    const id = await draft([{ id: 'mail', type: 'send', ...email, html: '<p>{{ coupon.spring }}</p>' }]);
    const { page } = await open(t, `/workflows/${id}`);
    const activate = page.getByRole('button', { name: 'Activate', exact: true });
    const dialog = page.getByRole('dialog', { name: 'Activate this workflow?' });
    await activate.click();
    await dialog.getByText(`The coupon spring has 5 codes left; ${matching} contacts can start now.`).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const body = { name: 'New', status: 'draft', trigger: { type: 'contact_created' } };
    const steps = [{ id: 'mail', type: 'send', ...email, html: '<p>{{ coupon.used_up }}</p>' }];
    const created = (await client.post('/v2/workflows', { ...body, steps })).data;
    await page.goto(`${platform.url}/workflows/${created.id}`);
    await activate.click();
    await dialog.getByText('The coupon used_up has no codes left.').waitFor();
    await dialog.getByText('Contacts start from now on.').waitFor();
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    assert.equal((await client.get(`/v2/workflows/${created.id}`)).data.status, 'active');
    await client.post(`/v2/workflows/${created.id}/pause`);
  });

  await t.test('starts a workflow for selected contacts, after saying how many runs and emails that are', async (t) => {
    const from = { email: 'news@example.com' };
    const body = {
      ...{ name: 'Hello', status: 'active', trigger: { type: 'manual' }, entry: { policy: 'once' } },
      steps: [{ id: 'mail', type: 'send', subject: 'Hi', from, html: '<p>Hi</p>' }],
    };
    const { id } = (await client.post('/v2/workflows', body)).data;
    const { page } = await open(t, '/contacts');
    const start = async () => {
      await page.getByRole('button', { name: 'Actions', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Enroll in a workflow…' }).click();
      const dialog = page.getByRole('dialog', { name: /^Enroll in a workflow: / });
      await dialog.getByRole('combobox', { name: 'Workflow' }).fill('Hello');
      await page.getByRole('option', { name: 'Hello', exact: true }).click();
      return dialog;
    };
    await page.getByLabel('Select person.0@example.com').check();
    await page.getByLabel('Select person.1@example.com').check();
    const first = await start();
    await first.getByText('2 runs start now. Up to 2 emails in the first hour.').waitFor();
    assert.equal(await runsOf(id), 0);
    await first.getByRole('button', { name: 'Start 2 runs' }).click();
    await page.getByText('2 runs started.').waitFor();
    assert.equal(await runsOf(id), 2);

    await page.getByLabel('Select person.0@example.com').check();
    await page.getByRole('button', { name: 'Select all in this list' }).click();
    const all = await start();
    await all.getByText("2 contacts can't enter again.").waitFor();
    await all.getByRole('button', { name: `Start ${matching - 2} runs` }).click();
    await page.getByText(`${matching - 2} runs started.`).waitFor();
    assert.equal(await runsOf(id), matching);
  });

  await t.test('starts a workflow for the members of a segment by keyboard', async (t) => {
    const body = { name: 'Tags', status: 'active', trigger: { type: 'manual' }, steps: tag };
    const { id } = (await client.post('/v2/workflows', body)).data;
    const { page } = await open(t, `/segments/${segment_id}`);
    await page.getByRole('button', { name: 'Workflow', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Enroll in a workflow…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Enroll in a workflow: the members of Berlin' });
    await dialog.getByRole('combobox', { name: 'Workflow' }).focus();
    await page.keyboard.type('Tags');
    await page.getByRole('option', { name: 'Tags', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.getByText(`${matching} runs start now. No emails are sent in the first hour.`).waitFor();
    await dialog.getByRole('button', { name: `Start ${matching} runs` }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`${matching} runs started.`).waitFor();
    assert.equal(await runsOf(id), matching);
  });
});
