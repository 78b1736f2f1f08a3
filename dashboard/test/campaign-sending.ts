import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Journey } from './journey.ts';

export async function campaignSending(t: TestContext, { open, client, demo, platform }: Journey) {
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
    await page.locator('main header').first().getByText('Cancelled', { exact: true }).waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.status, 'cancelled');
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
}
