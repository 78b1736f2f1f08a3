import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { script } from './demo.ts';
import type { Journey } from './journey.ts';

export async function leadpulse(t: TestContext, { open, client }: Journey) {
  await t.test('traffic: shows totals, a chart, a table for screen readers, and breakdowns', async (t) => {
    const { page } = await open(t, '/leadpulse');
    const { totals } = (await client.get(`/v2/leadpulse/analytics?from=${daysAgo(27)}`)).data;
    await page.getByRole('region', { name: 'Totals' }).getByText(String(totals.pageviews), { exact: true }).waitFor();
    await page.locator('.recharts-area-curve').first().waitFor();
    const days = page.getByRole('table', { name: 'Visitors by day' }).getByRole('rowheader');
    assert.equal(await days.count(), 28);
    assert.match((await days.last().textContent()) ?? '', / so far$/);
    assert.equal(await page.locator('.recharts-area-curve[stroke-dasharray="1 5"]').count(), 1, 'the line to today is dotted');
    await page.getByText('Page views', { exact: true }).last().waitFor();
    await page.getByRole('radiogroup', { name: 'Metric of the chart' }).getByText('Page views', { exact: true }).click();
    await page.getByRole('table', { name: 'Page views by day' }).waitFor();
    const germany = page.getByRole('table', { name: 'Countries' }).getByRole('row').filter({ hasText: 'Germany' });
    assert.match((await germany.textContent()) ?? '', /\d%$/, 'with its share of all visitors');
    await page.getByLabel('Sources by').selectOption('Source');
    await page.getByRole('table', { name: 'Sources' }).getByRole('link', { name: 'google' }).waitFor();
    // The operating system is counted from events.
    await page.getByLabel('Devices by').selectOption('Operating system');
    await page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: 'iOS' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Time range' }).getByText('7 days', { exact: true }).click();
    await page.waitForURL(/days=7/);
    for (const shown of ['metric=pageviews', 'sources=source', 'devices=os']) assert.ok(page.url().includes(shown), shown);
  });

  await t.test('traffic: a click on a row filters the page; the URL alone restores the view', async (t) => {
    const { page } = await open(t, '/leadpulse?days=7');
    const link = page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'Austria' });
    await link.focus();
    await page.keyboard.press('Enter');
    const remove = page.getByRole('link', { name: 'Remove the filter Country: Austria' });
    await remove.waitFor();
    const filter = encodeURIComponent(JSON.stringify({ dimension: 'country', op: 'eq', value: 'AT' }));
    const { totals } = (await client.get(`/v2/leadpulse/analytics?from=${daysAgo(6)}&filter=${filter}`)).data;
    const shown = page.getByRole('region', { name: 'Totals' }).getByText(String(totals.pageviews), { exact: true }).first();
    await shown.waitFor();
    await page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'Germany' }).waitFor({ state: 'detached' });
    await page.reload();
    await shown.waitFor();
    await remove.click();
    await page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'Germany' }).waitFor();
    await page.goto(`${page.url()}&page=/nowhere`);
    await page.getByText('No visits match these filters in this time range.').waitFor();
  });

  await t.test('traffic: compares with the previous period, in a custom range', async (t) => {
    const { page } = await open(t, '/leadpulse?days=7');
    await page.getByLabel('Compare with').selectOption('No comparison');
    await page
      .getByRole('table', { name: 'Visitors by day' })
      .getByRole('columnheader', { name: 'Earlier' })
      .waitFor({ state: 'detached' });
    await page.getByLabel('Compare with').selectOption('Compare with the previous period');
    await page.getByRole('table', { name: 'Visitors by day' }).getByRole('columnheader', { name: 'Earlier' }).waitFor();
    const { comparison } = (await client.get(`/v2/leadpulse/analytics?from=${daysAgo(6)}&to=${daysAgo(0)}&compare=previous`)).data;
    await page.getByRole('region', { name: 'Totals' }).getByText(`from ${comparison.totals.pageviews}`).waitFor();
    await page.getByText('Custom', { exact: true }).click();
    await page.getByLabel('From', { exact: true }).fill(daysAgo(2));
    await page.getByLabel('To', { exact: true }).fill(daysAgo(2));
    await page.getByRole('table', { name: 'Visitors by hour' }).waitFor();
    assert.ok(page.url().includes(`from=${daysAgo(2)}&to=${daysAgo(2)}`), page.url());
  });

  await t.test('goals: adds one, shows its conversions, filters by it, and deletes it', async (t) => {
    const { page } = await open(t, '/leadpulse?days=7');
    await page.getByRole('button', { name: 'Add a goal' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a goal' });
    await dialog.getByLabel('Name').fill('Orders');
    await dialog.getByLabel('Type').selectOption('Page view');
    await dialog.getByRole('combobox', { name: 'Page', exact: true }).fill('thanks');
    // The suggestions can cover the button.
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Add goal' }).click();
    await dialog.getByText('expected a path such as /pricing').waitFor();
    await dialog.getByLabel('Type').selectOption('Event');
    await dialog.getByRole('combobox', { name: 'Event', exact: true }).fill('order_placed');
    await dialog.getByRole('button', { name: 'Add goal' }).click();
    const goals = page.getByRole('table', { name: 'Goals' });
    const [goal] = await eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/goals')).data;
      return items.length === 1 && items;
    });
    const { totals } = (await client.post(`/v2/leadpulse/goals/${goal.id}/report`, { from: daysAgo(6) })).data;
    await goals.getByRole('cell', { name: String(totals.conversions), exact: true }).waitFor();
    await goals.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('link', { name: 'Remove the filter Event: order_placed' }).waitFor();
    await goals.getByRole('button', { name: 'Delete the goal Orders' }).click();
    await page.getByRole('button', { name: 'Delete goal' }).click();
    await goals.waitFor({ state: 'detached' });
  });

  await t.test('traffic: shows the standard error where visitors are estimated', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('region', { name: 'Totals' }).waitFor();
    assert.equal(await page.getByText(/standard error/).count(), 0, 'exact counts have no note');
    await page.route('**/v2/leadpulse/analytics?*', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.totals.visitors_error = 0.0081;
      await route.fulfill({ response, json });
    });
    await page.reload();
    await page.getByRole('note').getByText('standard error of up to 0.8%').waitFor();
  });

  await t.test('saved views: saves one, opens it from elsewhere, and deletes it', async (t) => {
    const { page } = await open(t, '/leadpulse?days=90&compare=previous&country=DE');
    await page.getByRole('button', { name: 'Save view' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this view' });
    await dialog.getByLabel('Name').fill('Germany, 90 days');
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: 'Germany, 90 days' }).waitFor();
    await page.goto(new URL('/leadpulse', page.url()).href);
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Germany, 90 days' }).click();
    await page.waitForURL((url) => ['days=90', 'country=DE'].every((part) => url.search.includes(part)));
    await page.getByRole('button', { name: 'Delete view' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Save view' }).waitFor();
  });

  await t.test('visitors: exports one, and deletes it', async (t) => {
    await client.post('/v2/leadpulse/track', { event: 'seen', visitor_id: 'to-delete' });
    const visitor = await eventually(async () => (await client.get('/v2/leadpulse/visitors?visitor_id=to-delete')).data.items[0]);
    const { page } = await open(t, `/leadpulse/visitors/${visitor.id}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export' }).click()]);
    assert.equal(download.suggestedFilename(), `${visitor.id}.ndjson`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete visitor' }).click();
    await page.waitForURL(/\/leadpulse\/visitors$/);
    assert.equal((await client.get(`/v2/leadpulse/visitors/${visitor.id}`)).status, 404);
  });

  await t.test('live: shows current visitors by page, and events as they happen', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('link', { name: 'Live', exact: true }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    const context = { page: { url: 'https://shop.example.com/live-now', title: 'Live now' }, country: 'JP' };
    await client.post('/v2/leadpulse/track', { event: '$pageview', visitor_id: 'live-visitor', context });
    const events = page.getByRole('table', { name: 'Events as they happen' });
    await events.getByText('/live-now').waitFor();
    await page.getByRole('table', { name: 'Pages' }).getByText('/live-now').waitFor();
    await page.getByRole('table', { name: 'Countries' }).getByText('Japan').waitFor();
    await events.getByRole('link', { name: 'Anonymous' }).first().click();
    await page.getByRole('heading', { name: 'Anonymous visitor' }).waitFor();
    await page.getByText('live-visitor').waitFor();
  });

  await t.test('reports: a funnel, its retention and paths, saved and opened again', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('link', { name: 'Reports', exact: true }).click();
    await page.getByText('Enter at least two steps').waitFor();
    await page.getByRole('combobox', { name: 'Step 2', exact: true }).fill('order_placed');
    await page.getByRole('button', { name: 'Show report' }).click();
    const request = { from: daysAgo(27), steps: [{ event: '$pageview' }, { event: 'order_placed' }] };
    const { steps } = (await client.post('/v2/leadpulse/funnels', request)).data;
    const funnel = page.getByRole('table', { name: 'Funnel' });
    await funnel
      .getByRole('row', { name: /2\. order_placed/ })
      .getByRole('cell', { name: String(steps[1].people), exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Create segment' }).click();
    const making = page.getByRole('dialog', { name: 'Create a segment from this funnel' });
    await making.getByLabel('Name').fill('Visited and ordered');
    await making.getByLabel('People').selectOption({ label: 'Reached 2. order_placed' });
    await making.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('heading', { name: 'Visited and ordered' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Save report' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this report' });
    await dialog.getByLabel('Name').fill('Visit to order');
    await dialog.getByRole('button', { name: 'Save report' }).click();
    await page.getByRole('button', { name: 'Visit to order' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Type of report' }).getByText('Retention', { exact: true }).click();
    await page.getByRole('table', { name: 'Retention' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Type of report' }).getByText('Paths', { exact: true }).click();
    await page.getByRole('table', { name: 'Paths' }).getByRole('rowheader').first().waitFor();
    await page.getByRole('button', { name: 'Saved reports' }).click();
    await page.getByRole('menuitem', { name: 'Visit to order' }).click();
    await funnel.waitFor();
    assert.deepEqual(JSON.parse(new URL(page.url()).searchParams.get('steps') ?? ''), ['$pageview', 'order_placed']);
    await page.getByRole('button', { name: 'Delete report' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Save report' }).waitFor();
  });

  await t.test('settings: changes them, shows errors at their fields, and the change is in the audit log', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('link', { name: 'Tracking settings' }).click();
    const days = page.getByLabel('Keep events for (days)');
    await days.fill('12');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await days.and(page.locator('[aria-invalid=true]')).waitFor();
    await days.fill('500');
    // Another user's change of another setting is kept.
    await client.put('/v2/leadpulse/settings', { session_timeout_minutes: 45 });
    await page.getByRole('combobox', { name: 'Blocked properties' }).fill('card');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved.').waitFor();
    const { data } = await client.get('/v2/leadpulse/settings');
    assert.deepEqual([data.retention_days, data.blocked_properties, data.session_timeout_minutes], [500, ['card'], 45]);
    const [entry] = await eventually(async () => {
      const { items } = (await client.get('/v2/settings/audit-log?action=leadpulse_settings.changed')).data;
      return items.length > 1 && items;
    });
    assert.deepEqual(entry.details.retention_days, { from: 400, to: 500 });
  });

  await t.test('visitors: finds one by the beginning of its ID, and bots only when asked', async (t) => {
    await client.post('/v2/leadpulse/track', { event: 'seen', visitor_id: 'robot-1', context: { user_agent: 'Googlebot/2.1' } });
    await eventually(async () => (await client.get('/v2/leadpulse/visitors?visitor_id=robot-1&include=bots')).data.items[0]);
    const { page } = await open(t, '/leadpulse/visitors?q=robot');
    await page.getByText('No visitors match these filters.').waitFor();
    await page.getByLabel('Include bots').check();
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link', { name: /Bot$/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('robotic');
    await page.keyboard.press('Enter');
    await page.getByText('No visitors match these filters.').waitFor();
  });

  await t.test('visitors and goals: suggest the sources, countries and pages of recent visits', async (t) => {
    const { page } = await open(t, '/leadpulse/visitors');
    const visitors = page.getByRole('table', { name: 'Visitors' });
    const country = page.getByLabel('Country', { exact: true });
    for (const name of ['Germany', 'Austria', 'Switzerland', 'United States'])
      await country.getByRole('option', { name, exact: true }).waitFor({ state: 'attached' });
    await country.selectOption('Austria');
    await page.waitForURL(/country=AT/);
    await page.getByRole('button', { name: 'Source', exact: true }).click();
    const source = page.getByRole('group', { name: 'Filter: Source' });
    await source.getByRole('combobox', { name: 'Source' }).fill('goo');
    await page.getByRole('option', { name: 'google', exact: true }).click();
    await source.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/source=google/);
    const { items } = (await client.get('/v2/leadpulse/visitors?source=google&country=AT&limit=100')).data;
    await eventually(async () => items.length > 0 && (await visitors.getByRole('row').count()) === items.length + 1);

    await page.goto(new URL('/leadpulse', page.url()).href);
    await page.getByRole('button', { name: 'Add a goal' }).click();
    const goal = page.getByRole('dialog', { name: 'Add a goal' });
    await goal.getByLabel('Type').selectOption('Page view');
    await goal.getByRole('combobox', { name: 'Page', exact: true }).fill('deliv');
    await page.getByRole('option', { name: '/blog/deliverability', exact: true }).click();
    assert.equal(await goal.getByRole('combobox', { name: 'Page', exact: true }).inputValue(), '/blog/deliverability');
  });

  await t.test('visitors: filters by known contacts, and shows the activity of one', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('link', { name: 'Visitors', exact: true }).click();
    await page.getByLabel('Type').selectOption('Contacts');
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link', { name: 'Ada Lovelace' }).first().click();
    // The visited page's title is a script, which must be shown as text.
    await page.getByRole('table', { name: 'Events' }).getByText(script).waitFor();
    await page.getByRole('region', { name: 'Visitor', exact: true }).getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await page.getByRole('link', { name: 'View website activity' }).click();
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link', { name: 'Ada Lovelace' }).first().waitFor();
  });
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
