import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { openPreview } from './campaign-editor.ts';
import type { Journey } from './journey.ts';
import { insertStep } from './workflow-editor.ts';

/** Settings → Account. */
export async function account(t: TestContext, { open, client, platform }: Pick<Journey, 'open' | 'client' | 'platform'>) {
  await t.test('account: renames it, sets the default consent and shows the webhook secret', async (t) => {
    const { page } = await open(t, '/settings/account');
    const name = page.getByLabel('Account name');
    await name.fill(' ');
    await page.getByRole('button', { name: 'Rename' }).click();
    await name.and(page.locator('[aria-invalid=true]')).waitFor();
    await name.fill('Corner shop');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: /^Account: Noor.*Corner shop/s }).waitFor();
    assert.equal((await client.get('/v2/settings/account')).data.name, 'Corner shop');

    assert.equal((await client.get('/v2/contacts/settings')).data.default_consent_chosen, false);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Choose the default email consent').waitFor();
    await page.getByRole('button', { name: 'Subscribed', exact: true }).click();
    await page.getByText('Choose the default email consent').waitFor({ state: 'detached' });
    assert.equal((await client.get('/v2/contacts/settings')).data.default_consent_chosen, true);
    await page.goBack();
    await page.getByLabel('Pending').check();
    await eventually(async () => (await client.get('/v2/contacts/settings')).data.default_consent === 'pending');
    assert.ok(await page.getByLabel('Pending').isChecked());

    assert.equal(await page.getByText('whsec_').count(), 0);
    await page.getByRole('button', { name: 'Show secret' }).click();
    const { secret } = (await client.get('/v2/workflows/webhook-secret')).data;
    assert.equal(await page.getByLabel('Secret', { exact: true }).inputValue(), secret);
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByRole('button', { name: 'Show secret' }).waitFor();
  });

  await t.test('account: shows and reads times in the time zone of the account', async (t) => {
    const { page } = await open(t, '/settings/account');
    const zone = page.getByRole('combobox', { name: 'Time zone of the account' });
    await zone.fill('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await page.getByText('Saved.').first().waitFor();
    assert.equal((await client.get('/v2/settings/account')).data.timezone, 'Asia/Tokyo');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.locator('time[title$="GMT+9"]').first().waitFor();
    await page.reload();
    await page.locator('time[title$="GMT+9"]').first().waitFor();

    const filtered = page.waitForRequest((request) => request.url().includes('created_at'));
    await page.goto(new URL('/contacts?from=2026-03-01', page.url()).href);
    assert.equal(new URL((await filtered).url()).searchParams.get('created_at[gte]'), '2026-02-28T15:00:00.000Z');
  });

  await t.test('sending: adds a domain, shows its DNS records, and deletes it', async (t) => {
    const { page } = await open(t, '/settings/sending');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('Enter a domain').waitFor();
    await page.getByLabel('Domain', { exact: true }).fill('news.example.com');
    await page.getByRole('button', { name: 'Add domain' }).click();
    const domain = page.getByRole('region', { name: 'news.example.com' });
    await domain.getByText('Not verified yet').waitFor();
    await domain.getByRole('row', { name: /^DKIM/ }).getByText('TXT, required').waitFor();
    const [{ records }] = (await client.get('/v2/campaigns/senders')).data.items;
    assert.equal(await domain.getByRole('button', { name: /^Copy: Value of/ }).count(), records.length);
    await domain.getByRole('button', { name: 'Delete news.example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
    await domain.waitFor({ state: 'detached' });
    assert.deepEqual((await client.get('/v2/campaigns/senders')).data.items, []);
  });

  await t.test('sending: sets quiet hours and a frequency cap, and removes them', async (t) => {
    const { page } = await open(t, '/settings/sending');
    await page.getByLabel('Send no marketing emails during quiet hours').check();
    await page.getByLabel('From', { exact: true }).fill('22:00');
    await page.getByLabel('Limit the marketing emails per contact').check();
    await page.getByLabel('In this many days').fill('91');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a whole number from 1 to 90.').waitFor();
    await page.getByLabel('In this many days').fill('30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    const stored = async () => (await client.get('/v2/campaigns/settings')).data;
    const { quiet_hours, frequency_cap } = await stored();
    assert.deepEqual([quiet_hours.from, quiet_hours.to, frequency_cap], ['22:00', '08:00', { max_emails: 3, days: 30 }]);
    await page.reload();
    await page.getByLabel('Send no marketing emails during quiet hours').uncheck();
    await page.getByLabel('Limit the marketing emails per contact').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    assert.deepEqual([(await stored()).quiet_hours, (await stored()).frequency_cap], [null, null]);
  });

  await t.test('sending: the default sender is entered into new campaigns, email steps of workflows and test emails', async (t) => {
    const { page } = await open(t, '/settings/sending');
    const sender = page.getByRole('region', { name: 'Default sender' });
    await sender.getByLabel('From name').fill('Example Shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter an address, or clear the name and reply-to.').waitFor();
    await sender.getByRole('combobox', { name: 'From email' }).fill('shop@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    const { default_sender } = (await client.get('/v2/campaigns/settings')).data;
    assert.deepEqual(default_sender, { email: 'shop@example.com', name: 'Example Shop', reply_to: null });
    await page.goto(`${platform.url}/campaigns/new`);
    assert.equal(await page.getByRole('combobox', { name: 'From email' }).inputValue(), 'shop@example.com');
    assert.equal(await page.getByLabel('From name').inputValue(), 'Example Shop');
    await page.goto(`${platform.url}/workflows/new`);
    await insertStep(page, 'Insert a step after the trigger', 'Send email');
    const settings = page.getByRole('region', { name: 'Settings' }).last();
    assert.equal(await settings.getByRole('combobox', { name: 'From address' }).inputValue(), 'shop@example.com');
    await page.goto(`${platform.url}/campaigns/templates/new?starter=newsletter`);
    await openPreview(page);
    await page.getByRole('button', { name: 'Send test…' }).click();
    const testing = page.getByRole('dialog', { name: 'Send a test' });
    assert.equal(await testing.getByRole('combobox', { name: 'From email' }).inputValue(), 'shop@example.com');
    await testing.getByText('new@example.com', { exact: true }).waitFor();
    await client.put('/v2/campaigns/settings', { default_sender: null });
  });

  await t.test('sending: adds topics and sending rates, says what is wrong with them, and keeps the changes of others', async (t) => {
    const { page } = await open(t, '/settings/sending');
    await page.getByRole('button', { name: 'Add topic' }).click();
    await page.getByLabel('Name of topic 1').fill('Product news');
    await page.getByLabel('Name of topic 1').press('Tab');
    assert.equal(await page.getByLabel('ID of topic 1').inputValue(), 'product-news');
    await page.getByRole('button', { name: 'Add topic' }).click();
    await page.getByLabel('Name of topic 2').fill('News');
    await page.getByLabel('Name of topic 2').press('Tab');
    await page.getByLabel('ID of topic 2').fill('product-news');
    await page.getByRole('button', { name: 'Add sending rate' }).click();
    await page.getByLabel('Domain of rate 1').fill('example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another topic has this ID.').first().waitFor();
    await page.getByText('Enter a domain, such as example.com.').waitFor();

    await page.getByRole('button', { name: 'Remove topic News' }).click();
    await page.getByLabel('Domain of rate 1').fill('Example.com');
    await page.getByLabel('Emails per minute of rate 1').fill('600');
    await client.put('/v2/campaigns/settings', { delivered_after_hours: 48, topics: [{ id: 'offers', name: 'Offers' }] });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    const { topics, domain_throttles, delivered_after_hours } = (await client.get('/v2/campaigns/settings')).data;
    assert.deepEqual(topics, [
      { id: 'offers', name: 'Offers' },
      { id: 'product-news', name: 'Product news' },
    ]);
    assert.deepEqual(domain_throttles, [{ side: 'receiving', domain: 'example.com', per_minute: 600 }]);
    assert.equal(delivered_after_hours, 48);
  });
}
