import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Found, lookAt } from './accessibility.ts';
import { draftCampaign } from './campaign-editor.ts';
import type { Journey } from './journey.ts';

export async function campaignSettings(t: TestContext, { open, client, platform }: Journey) {
  await t.test('campaigns: sets up an A/B test and a hold-out group, and previews each variant', async (t) => {
    const { id } = (await client.post('/v2/campaigns', { ...draftCampaign, name: 'Two subjects' })).data;
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
    const { id } = (await client.post('/v2/campaigns', { ...draftCampaign, name: 'Orders' })).data;
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
    const { id } = (await client.post('/v2/campaigns', { ...draftCampaign, name: 'Local' })).data;
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
}
