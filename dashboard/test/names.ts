import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Journey } from './journey.ts';

export async function names(t: TestContext, { open, client, demo }: Journey) {
  await t.test('loads the names of all contacts in a list with one request', async (t) => {
    const { page } = await open(t, '/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(decodeURIComponent(request.url())));
    await page.goto(`${new URL(page.url()).origin}/workflows/${demo.welcome.id}`);
    const { items } = (await client.get(`/v2/workflows/${demo.welcome.id}/runs`)).data;
    assert.ok(items.length > 1);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: /Ada/ }).first().waitFor();
    assert.equal(requests.filter((url) => /\/v2\/contacts\?.*id\[in\]=/.test(url)).length, 1, requests.join('\n'));
    assert.deepEqual(
      requests.filter((url) => /\/v2\/contacts\/contact_/.test(url)),
      [],
    );
  });

  await t.test('shows a merged contact by the name of the surviving one', async (t) => {
    const { page } = await open(t, '/leadpulse/visitors');
    const make = async (email: string, first_name: string) => (await client.post('/v2/contacts', { email, first_name })).data;
    const other = await make('before@merge.example', 'Before');
    const keep = await make('after@merge.example', 'After');
    const visit = { event: '$pageview', visitor_id: 'visitor-merged', email: other.email };
    await client.post('/v2/leadpulse/track', { ...visit, context: { page: { url: 'https://example.com/' } } });
    await eventually(async () => (await client.get(`/v2/leadpulse/visitors?contact_id=${other.id}`)).data.items.length === 1);
    await client.post(`/v2/contacts/${keep.id}/merge`, { source_id: other.id });
    await page.reload();
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link', { name: 'After', exact: true }).waitFor();
  });

  await t.test('offers every segment of the account in a picker, not only the first page', async (t) => {
    const { page } = await open(t, '/');
    // A page size of 1 stands for an account with more segments than fit on a page.
    await page.route(/\/v2\/segments\?/, (route) => route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }));
    const { items } = (await client.get('/v2/segments')).data;
    assert.ok(items.length > 1);
    await page.goto(`${new URL(page.url()).origin}/campaigns/new`);
    await page.getByRole('combobox', { name: 'Include' }).click();
    for (const { name } of items) await page.getByRole('option', { name, exact: true }).waitFor();
  });
}
