import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Journey } from './journey.ts';

/** Settings → Account. */
export async function account(t: TestContext, { open, client }: Pick<Journey, 'open' | 'client'>) {
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
}
