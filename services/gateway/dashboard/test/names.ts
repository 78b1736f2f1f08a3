import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Journey } from './journey.ts';

export async function names(t: TestContext, { open, client, demo }: Journey) {
  await t.test('the names of the contacts in a list come with one request, however many rows it has', async (t) => {
    const { page } = await open(t, '/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
    await page.goto(`${new URL(page.url()).origin}/workflows/${demo.welcome.id}`);
    const { items } = (await client.get(`/v2/workflows/${demo.welcome.id}/runs`)).data;
    assert.ok(items.length > 1);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: /Ada/ }).first().waitFor();
    assert.equal(asked.filter((url) => /\/v2\/contacts\?.*id\[in\]=/.test(url)).length, 1, asked.join('\n'));
    assert.deepEqual(
      asked.filter((url) => /\/v2\/contacts\/contact_/.test(url)),
      [],
    );
  });

  await t.test('a picker offers every segment of the account, not only the first page', async (t) => {
    const { page } = await open(t, '/');
    // A page of one: as an account with more segments than a page holds.
    await page.route(/\/v2\/segments\?/, (route) => route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }));
    const { items } = (await client.get('/v2/segments')).data;
    assert.ok(items.length > 1);
    await page.goto(`${new URL(page.url()).origin}/campaigns/new`);
    await page.getByRole('combobox', { name: 'Send to' }).click();
    for (const { name } of items) await page.getByRole('option', { name, exact: true }).waitFor();
  });
}
