import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';
import { createInSight } from './secret-dialog.ts';
import { startReceiver } from './webhook-receiver.ts';

/** Settings → Webhooks, in a real browser against the real platform. */
test('webhooks', { skip: withoutBrowser }, async (t) => {
  const services = ['gateway', 'contacts', 'workflows'] as const;
  const [platform, browser] = await Promise.all([
    startPlatform(t, { services, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }),
    openBrowser(t),
    builtDashboard(),
  ]);
  const open = await createOpen(t, platform, browser);
  const client = await platform.client('--permission', 'admin');
  const hook = await startReceiver(t);

  const create = async (page: Page, url: string) => {
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL', { exact: true }).fill(url);
    await page.getByRole('combobox', { name: 'Events' }).fill('Everything about contacts');
    await page.getByRole('option', { name: 'Everything about contacts' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create webhook' }).click();
  };

  await t.test('are explained, and a new one keeps its secret on screen from its creation until it is stored', async (t) => {
    const { page } = await open(t, '/settings/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    // So that Back leads to another page of the dashboard.
    await page.getByRole('link', { name: 'Plan and usage' }).click();
    await page.getByText('Requests today').waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const secret = await createInSight(page, {
      path: '**/v2/webhooks',
      label: 'Signing secret',
      create: () => create(page, hook.url),
    });
    assert.match(secret, /^whsec_/);
    await page.getByRole('row', { name: /127\.0\.0\.1.*Everything about contacts.*Active/s }).waitFor();
    assert.equal((await page.content()).includes(secret), false, 'the secret is no longer on the page');
  });

  await t.test('show an example of an event, and reject a URL at its field', async (t) => {
    const { page } = await open(t, '/settings/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Example', { exact: true }).selectOption('A contact was created');
    await page.getByLabel('Example payload').getByText('"type": "contact.created"').waitFor();
    await page.getByLabel('URL', { exact: true }).fill('nowhere');
    await page.getByRole('combobox', { name: 'Events' }).fill('All events');
    await page.getByRole('option', { name: 'All events' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('expected an http:// or https:// URL').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  await t.test('send a test event and show the response', async (t) => {
    const { page } = await open(t, '/settings/webhooks');
    await page.getByRole('link', { name: hook.url }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send test event' }).click();
    await dialog.getByText(/Responded with 200/).waitFor();
    await dialog.getByText('thanks').waitFor();
    assert.equal(JSON.parse(hook.received.at(-1)?.body ?? '{}').test, true);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /contact\.created \(test\).*Delivered/s }).waitFor();
  });

  await t.test('show a failed delivery with its attempts, and replay it with the same ID', async (t) => {
    hook.status = 500;
    hook.received.length = 0;
    assert.equal((await client.post('/v2/contacts', { email: 'ada@example.com' })).status, 201);
    await eventually(async () => hook.received.length > 0);
    const { page } = await open(t, '/settings/webhooks');
    await page.getByRole('link', { name: hook.url }).click();
    await page.getByRole('row', { name: /contact\.created.*Pending/s }).waitFor();
    await page.getByRole('link', { name: 'contact.created', exact: true }).click();
    await page.getByRole('heading', { name: 'contact.created' }).waitFor();
    await page.getByText('Responded with 500; expected 2xx.').first().waitFor();
    await page.getByText('not today').first().waitFor();
    await page.getByLabel('Payload').getByText('ada@example.com').waitFor();
    hook.status = 200;
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Delivered', { exact: true }).waitFor();
    assert.equal(new Set(hook.received.map(({ id }) => id)).size, 1);
  });

  await t.test('are edited: events, filter, headers and batches; a change by another user is compared, not overwritten', async (t) => {
    const { page } = await open(t, '/settings/webhooks');
    await page.getByRole('link', { name: hook.url }).click();
    const [{ id }] = (await client.get('/v2/webhooks')).data.items;
    const edit = async () => {
      await page.getByRole('button', { name: 'Edit' }).click();
      return page.getByRole('dialog');
    };
    let dialog = await edit();
    await dialog.getByLabel('Description').fill('CRM');
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    await dialog.getByRole('combobox', { name: 'Field of condition 1' }).fill('last_name');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Complete or remove each condition.').waitFor();
    await dialog.getByRole('combobox', { name: 'Value of condition 1' }).fill('Lovelace');
    await dialog.getByLabel('Headers').fill('Authorization: Bearer mine');
    await dialog.getByLabel('Several events in one request').check();
    await dialog.getByLabel('Events per request (limit)').fill('10');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Up to 10 events').waitFor();
    await page.getByText('CRM').waitFor();
    await page.getByText('last_name is “Lovelace”').waitFor();

    hook.received.length = 0;
    await client.post('/v2/contacts', { email: 'grace@example.com', last_name: 'Hopper' });
    await client.post('/v2/contacts', { email: 'lady@example.com', last_name: 'Lovelace' });
    await eventually(async () => hook.received.length > 0);
    const [{ body, authorization } = { body: '{}', authorization: '' }] = hook.received;
    const emails = JSON.parse(body).events.map(({ data }: { data: { email: string } }) => data.email);
    assert.deepEqual([emails, authorization], [['lady@example.com'], 'Bearer mine']);

    dialog = await edit();
    await dialog.getByText('Current headers: Authorization.').waitFor();
    await dialog.getByLabel('Description').fill('Mine');
    await client.put(`/v2/webhooks/${id}`, { description: 'Theirs', filter: null, batch: null });
    await dialog.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('dialog', { name: 'A newer version was saved' });
    await conflict.getByRole('row', { name: 'Description Theirs Mine' }).waitFor();
    await conflict.getByRole('button', { name: 'Load the newer version' }).click();
    await conflict.waitFor({ state: 'detached' });
    assert.deepEqual(
      [await dialog.getByLabel('Description').inputValue(), await dialog.getByLabel('Field of condition 1').count()],
      ['Theirs', 0],
    );
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Theirs').waitFor();
  });

  await t.test('name the nearest field when no event could pass the filter', async (t) => {
    const { page } = await open(t, '/settings/webhooks');
    await page.getByRole('link', { name: hook.url }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    await dialog.getByRole('combobox', { name: 'Field of condition 1' }).fill('emial');
    await dialog.getByRole('combobox', { name: 'Value of condition 1' }).fill('a');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Did you mean "data.email"?').first().waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  await t.test('are disabled by a receiver that responds with 410, and offer to replay what they missed when enabled', async (t) => {
    hook.status = 410;
    hook.received.length = 0;
    const { page } = await open(t, '/settings/webhooks');
    await page.getByRole('link', { name: hook.url }).click();
    await client.post('/v2/contacts', { email: 'missed@example.com' });
    await page.getByText('Disabled: the receiver responded with 410').waitFor();
    hook.status = 200;
    hook.received.length = 0;
    await page.getByRole('button', { name: 'Enable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/\d+ deliver(y has|ies have) failed/).waitFor();
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/\d+ deliver(y|ies) will be sent again/).waitFor();
    await eventually(async () => hook.received.some(({ body }) => body.includes('missed@example.com')));
    await dialog.waitFor({ state: 'detached' });
  });

  await t.test('have a secret that can be rotated and stays on screen until it is stored; can be disabled and deleted', async (t) => {
    const { page } = await open(t, '/settings/webhooks');
    await page.getByRole('link', { name: hook.url }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await createInSight(page, {
      path: '**/rotate-secret',
      label: 'Signing secret',
      create: () => page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click(),
    });
    await page.getByText('Old secret expires').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });
});
