import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, openPage, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createCountedInput } from './counted-input.ts';
import { settled } from './pages.ts';
import { startReceiver } from './webhook-receiver.ts';

test('an operator gives a program access, finds a webhook that stopped and sends what it missed, and reads who changed what', {
  skip: withoutBrowser,
}, async (t) => {
  const [platform, browser, receiver] = await Promise.all([
    startPlatform(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }),
    openBrowser(t),
    startReceiver(t),
    builtDashboard(),
  ]);
  const { page } = await openPage(t, browser, platform.url);
  const input = createCountedInput(page);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');
  const settings = (name: string) => input.click(page.getByRole('link', { name, exact: true }));
  await page.goto(await platform.command('sign-in-link.ts'));

  await settings('Settings');
  await settings('API Keys');
  await input.click(button('Generate your first key'));
  await input.type(page.getByLabel('Name', { exact: true }), 'Shop');
  await input.click(page.getByLabel('Read/Write'));
  await input.click(button('Generate key'));
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  await input.click(button('I have stored it'));
  const createContact = (email: string) =>
    fetch(`${platform.url}/v2/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });

  await settings('Webhooks');
  await input.click(button('New webhook'));
  await input.type(page.getByLabel('URL', { exact: true }), receiver.url);
  await input.pick(page.getByRole('combobox', { name: 'Events' }), 'Everything about c', 'Everything about contacts contact.*');
  await page.keyboard.press('Escape');
  await input.click(button('Create webhook'));
  await input.click(button('I have stored it'));
  await page.getByRole('row', { name: /Everything about contacts.*Active/s }).waitFor();

  receiver.status = 410;
  assert.equal((await createContact('missed@example.com')).status, 201);
  await eventually(async () => receiver.received.length > 0);
  receiver.status = 200;
  receiver.received.length = 0;

  await input.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview', exact: true }));
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText(/is disabled because its receiver responded with 410/).waitFor();
  await input.click(attention.getByRole('link', { name: receiver.url }));
  await input.click(page.getByRole('link', { name: 'contact.created', exact: true }));
  await page.getByText('Responded with 410: the webhook was disabled.').first().waitFor();
  await page.getByLabel('Payload').getByText('missed@example.com').waitFor();
  await page.goBack();
  await input.click(button('Enable'));
  await dialog.getByText(/1 delivery has failed/).waitFor();
  await input.click(dialog.getByRole('button', { name: 'Replay' }));
  await page.getByRole('row', { name: /contact\.created.*Delivered/s }).waitFor();
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).data.email),
    ['missed@example.com'],
  );
  await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === '/v2/webhooks'),
    input.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview', exact: true })),
  ]);
  await page.getByRole('region', { name: 'First steps' }).waitFor();
  await settled(page);
  await attention.waitFor({ state: 'detached' });

  await settings('Settings');
  await settings('Plan and usage');
  await page.getByRole('region', { name: 'Today' }).getByText('1', { exact: true }).waitFor();
  await settings('API Keys');
  await input.click(button('Revoke Shop'));
  await input.click(button('Revoke key'));
  await page.getByRole('row', { name: /Shop.*Revoked/s }).waitFor();
  assert.equal((await createContact('later@example.com')).status, 401);

  await settings('Audit log');
  for (const action of ['revoked an API key', 'generated an API key', 'signed in'])
    await page.getByRole('row', { name: `Owner ${action}` }).waitFor();
});
