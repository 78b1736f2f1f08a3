import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Page } from 'playwright-core';
import { type Found, lookAt } from './accessibility.ts';
import { draftCampaign } from './campaign-editor.ts';
import type { Journey } from './journey.ts';
import { readEmails } from './readers.ts';

export async function campaignReports(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('campaigns: accounts for every recipient, and explains each one', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    await page.getByRole('row', { name: /Accepted.*92 \/ 92/ }).waitFor();
    await part(page, 'Recipients').click();
    await page.getByText('– all 100 recipients accounted for.').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('skipped');
    await page.getByRole('table', { name: 'Recipients' }).getByText('unsubscribed').first().waitFor();
    await page.getByRole('table', { name: 'Recipients' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'Message' }).getByText('Skipped').waitFor();
  });

  await t.test('campaigns: reports opens and clicks over time, links, devices and domains, and exports the report', async (t) => {
    await readEmails(platform.url);
    await eventually(async () => (await client.get(`/v2/campaigns/${demo.sent.id}/analytics`)).data.counts.clicked.unique.human > 5);
    const { page } = await open(t, '/campaigns');
    await page
      .getByRole('row', { name: /Autumn release/ })
      .getByText(/^\d+(\.\d)?%$/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Autumn release' }).click();
    await page.getByRole('table', { name: /^Opens and clicks by/ }).waitFor({ state: 'attached' });
    await part(page, 'Links').click();
    await page
      .getByRole('table', { name: 'Links' })
      .getByRole('row', { name: /^example\.com\/autumn \d+ 100\.0%$/ })
      .waitFor();
    await page
      .frameLocator('iframe[title="Click map"]')
      .getByText(/^\d+ · 100%$/)
      .waitFor();
    await part(page, 'Overview').click();
    await page
      .getByRole('table', { name: 'Devices' })
      .getByRole('row', { name: /^Desktop/ })
      .waitFor();
    await page.getByLabel('Opens by').selectOption('Email domain');
    await page
      .getByRole('table', { name: 'Domains' })
      .getByRole('row', { name: /^example\.com 92 accepted, 0 bounced/ })
      .waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'By link' }).click();
    assert.equal((await downloading).suggestedFilename(), `${demo.sent.id}-analytics.csv`);
  });

  await t.test('campaigns: lists, exports and puts into a segment the recipients that clicked', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}/recipients`);
    const recipients = page.getByRole('region', { name: 'Recipients' });
    await recipients.getByLabel('Status', { exact: true }).selectOption('Clicked a link');
    const { items } = (await client.get(`/v2/campaigns/${demo.sent.id}/ledger?engagement=clicked&limit=100`)).data;
    assert.ok(items.length > 5);
    await recipients.getByRole('link', { name: items[0].address }).waitFor();
    const downloading = page.waitForEvent('download');
    await recipients.getByRole('link', { name: 'Export recipients' }).click();
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n');
    assert.equal(lines.length, items.length + 1);
    await recipients.getByRole('button', { name: 'Create a segment' }).click();
    await page.getByRole('heading', { name: 'Autumn release: clicked a link' }).waitFor();
  });

  await t.test('campaigns: lists and exports the buyers, filters the recipients by them, and puts them into a segment', async (t) => {
    const path = `/v2/campaigns/${demo.sent.id}`;
    const ledger = async (engagement: string) => (await client.get(`${path}/ledger?engagement=${engagement}&limit=100`)).data.items;
    const [first, second] = await ledger('clicked');
    const order = ({ address: email }: { address: string }, amount: number) => ({
      ...{ event: 'order_placed', email, value: { amount, currency: 'EUR' } },
    });
    const events = [order(first, 49), order(first, 20.5), order(second, 120)];
    assert.ok((await client.post('/v2/leadpulse/track', { events })).status < 300);
    await eventually(async () => (await ledger('converted')).length === 2);

    const { page } = await open(t, `/campaigns/${demo.sent.id}/recipients`);
    const buyers = page.getByRole('region', { name: 'Buyers' });
    const rows = buyers.getByRole('table', { name: 'Buyers' }).getByRole('row');
    await rows.filter({ hasText: first.address }).getByText('€69.50').waitFor();
    await rows.filter({ hasText: second.address }).getByText('€120').waitFor();
    await rows.filter({ hasText: 'Total' }).getByText('€189.50').waitFor();
    const downloading = page.waitForEvent('download');
    await buyers.getByRole('link', { name: 'Export buyers' }).click();
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n').slice(1);
    assert.deepEqual([lines.length, lines.filter((line) => line.includes('69.5 EUR')).length], [2, 1]);

    const recipients = page.getByRole('region', { name: 'Recipients' });
    await recipients.getByLabel('Status', { exact: true }).selectOption('Bought or converted');
    const listed = recipients.getByRole('table', { name: 'Recipients' });
    await eventually(async () => (await listed.getByRole('link').count()) === 2);
    for (const { address } of [first, second]) await listed.getByRole('link', { name: address }).waitFor();

    await page.goto(`${platform.url}/campaigns/${demo.sent.id}`);
    await page.getByRole('button', { name: 'Create a segment' }).click();
    await page.getByRole('menuitem', { name: 'Bought or converted' }).click();
    await page.getByRole('heading', { name: 'Autumn release: bought or converted' }).waitFor();
    const segment = async () => (await client.get(`/v2/segments/${page.url().split('/').at(-1)}`)).data;
    assert.deepEqual((await segment()).definition, { all: [{ campaign: demo.sent.id, activity: 'converted' }] });
    await eventually(async () => (await segment()).count === 2);
    await page.reload();
    const members = page.getByRole('table', { name: 'Members', exact: true }).getByRole('link');
    await eventually(async () => (await members.count()) === 2);
  });

  await t.test('campaigns: creates a segment of the contacts that opened one but did not click, only once', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    const make = async () => {
      await page.getByRole('button', { name: 'Create a segment' }).click();
      await page.getByRole('menuitem', { name: "Opened it, but didn't click" }).click();
      await page.getByRole('heading', { name: "Autumn release: opened it, but didn't click" }).waitFor();
    };
    await make();
    const url = page.url();
    const { definition } = (await client.get(`/v2/segments/${url.split('/').at(-1)}`)).data;
    assert.deepEqual(definition, {
      all: [
        { campaign: demo.sent.id, activity: 'opened' },
        { campaign: demo.sent.id, activity: 'clicked', count: { eq: 0 } },
      ],
    });
    await page.goBack();
    await make();
    assert.equal(page.url(), url);
  });

  await t.test('campaigns: compares one with another', async (t) => {
    const { page } = await open(t, `/campaigns/${demo.sent.id}`);
    await page.getByLabel('Compare with another campaign').selectOption('Spring');
    const table = page.getByRole('table', { name: 'Comparison' });
    await table.getByRole('columnheader', { name: 'Spring' }).waitFor();
    await table.getByRole('row', { name: /^Accepted 92/ }).waitFor();
    const found: Found = {};
    await lookAt(page, 'report', found, { within: 'main' });
    assert.deepEqual(found, {});
  });

  await t.test('campaigns: selects the winner of an A/B test by hand; shows the hold-out group and the links of a variant', async (t) => {
    const variants = [
      { weight: 50, subject: 'One' },
      { weight: 50, subject: 'Two', html: conditional },
    ];
    const ab_test = { variants, sample_percent: 50, metric: 'opens', selection: 'manual' };
    const { id } = (await client.post('/v2/campaigns', { ...draftCampaign, name: 'By hand', ab_test, holdout_percent: 20 })).data;
    await client.post(`/v2/campaigns/${id}/send`);
    const { page } = await open(t, `/campaigns/${id}`);
    const test = page.getByRole('region', { name: 'A/B test' });
    await test.getByText('The rest waits until you select a winner.').waitFor();
    await test.getByRole('button', { name: 'Select variant B' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Select the winner' }).click();
    await test.getByRole('row', { name: /Two\s*Winner/ }).waitFor();
    await page.locator('main header').first().getByText('Sent', { exact: true }).waitFor();
    assert.equal((await client.get(`/v2/campaigns/${id}`)).data.ab_result.winner, 'b');
    const { holdout } = (await client.get(`/v2/campaigns/${id}/analytics`)).data;
    const groups = page.getByRole('table', { name: 'Hold-out group' });
    await groups.getByRole('row', { name: `Held out (20%) ${holdout.held_out.recipients}` }).waitFor();
    await groups.getByRole('row', { name: `Emailed ${holdout.emailed.recipients}` }).waitFor();
    await part(page, 'Links').click();
    await page.getByLabel('Variant of the click map').selectOption('Variant B');
    const map = page.frameLocator('iframe[title="Click map"]');
    await map.getByText('Only some see this').waitFor();
    assert.deepEqual(await map.locator('mark').allTextContents(), ['0', '0']);
    await part(page, 'Overview').click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'By variant' }).waitFor();
  });
}

/** The link to a part of the report. */
export const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the report' }).getByRole('link', { name, exact: true });

/** An email with a part that most recipients do not get. */
const conditional =
  '{% if contact.address.city == "Atlantis" %}<a href="https://example.com/atlantis">Only some see this</a>{% endif %} <a href="https://example.com/t/all">All</a>';
