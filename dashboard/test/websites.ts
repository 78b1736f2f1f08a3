import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { createOpen, type Journey, signIn } from './journey.ts';

const origin = 'https://blog.example.com';

export async function websites(t: TestContext, { open, client, platform, browser }: Journey) {
  const sites = async () => (await client.get('/v2/leadpulse/sites')).data.items;
  const send = (key: string, from: string) =>
    fetch(`${platform.url}/ingest/v1/events?key=${key}`, {
      method: 'POST',
      headers: { origin: from, 'content-type': 'text/plain' },
      body: JSON.stringify({ events: [{ event: '$pageview', context: { page: { url: `${from}/` } } }] }),
    });

  await t.test('websites: adds one, whose page shows its snippet, and its first event within seconds', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('link', { name: 'Websites', exact: true }).click();
    await page.getByRole('region', { name: 'No websites yet' }).getByRole('button', { name: 'Add your website' }).click();
    const dialog = page.getByRole('dialog');
    const addresses = dialog.getByRole('combobox', { name: 'Website addresses' });
    await addresses.fill('blog.example.com/posts');
    await dialog.getByRole('button', { name: 'Add website' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByText('“blog.example.com/posts” is not the address of a website. Write https://blog.example.com').waitFor();
    await dialog.getByLabel('Name').fill('Blog');
    await addresses.click();
    await page.keyboard.press('Backspace');
    await addresses.fill(origin);
    await dialog.getByRole('button', { name: 'Add website' }).click();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();

    const row = page.getByRole('table', { name: 'Websites' }).getByRole('row', { name: /Blog/ });
    await row.getByText(origin).waitFor();
    await row.getByText('None yet').waitFor();
    await row.getByRole('link', { name: 'Blog' }).click();
    const [site] = await sites();
    const installation = page.getByRole('region', { name: 'Installation' });
    await installation
      .getByText(`Waiting for the first event. Open one of your pages with the snippet, at ${origin}, in a browser`)
      .waitFor();
    await installation.getByRole('button', { name: 'Copy: Snippet' }).click();
    await installation.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      `<script src="${platform.url}${site.snippet.path}" integrity="${site.snippet.integrity}" crossorigin data-key="${site.publishable_key}"></script>`,
    );
    await page.getByRole('region', { name: 'Your own visits' }).getByRole('button', { name: 'Copy: Exclude my visits' }).waitFor();
    assert.equal((await send(site.publishable_key, origin)).status, 202);
    await installation.getByText('We have seen your first event.').waitFor();
    await page.getByRole('link', { name: 'Websites', exact: true }).click();
    await row.getByText('None yet').waitFor({ state: 'detached' });
  });

  await t.test('websites: edits the addresses, and pages at the new ones are counted', async (t) => {
    const { page } = await open(t, '/leadpulse/websites');
    await page.getByRole('link', { name: 'Blog' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit website' });
    await dialog.getByLabel('Name').fill('Journal');
    await dialog.getByRole('combobox', { name: 'Website addresses' }).fill('https://journal.example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Journal' }).waitFor();
    const [site] = await sites();
    assert.deepEqual(site.origins, [origin, 'https://journal.example.com']);
    await eventually(async () => (await send(site.publishable_key, 'https://journal.example.com')).status === 202);
  });

  await t.test('websites: replaces the key, and the old one stops working', async (t) => {
    const [before] = await sites();
    const { page } = await open(t, `/leadpulse/websites/${before.id}`);
    await page.getByRole('button', { name: 'Replace key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace key' }).click();
    await page.getByText('Paste the new snippet into your pages.').waitFor();
    const [after] = await sites();
    await page.getByText(`data-key="${after.publishable_key}"`).waitFor();
    await eventually(async () => (await send(before.publishable_key, origin)).status === 401);
    assert.equal((await send(after.publishable_key, origin)).status, 202);
  });

  await t.test('websites: rotates the identity secret, and shows the new one once', async (t) => {
    const [site] = await sites();
    const { page } = await open(t, `/leadpulse/websites/${site.id}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    assert.match(await page.getByLabel('Identity secret', { exact: true }).inputValue(), /^mp_sign_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await sites())[0].revision, site.revision + 1);
  });

  await t.test('websites: a viewer sees them, and cannot change them', async (t) => {
    const invitation = { email: 'viewer@example.com', name: 'Vera', role: 'viewer' };
    const { invitation_url } = (await client.post('/v2/settings/users', invitation)).data;
    const openAsViewer = await createOpen(t, platform, browser, signIn(browser, invitation_url));
    const { page } = await openAsViewer(t, '/leadpulse/websites');
    await page.getByRole('link', { name: 'Journal' }).click();
    await page.getByText('We have seen your first event.').waitFor();
    await page.getByRole('button', { name: 'Copy: Snippet' }).waitFor();
    for (const name of ['Edit', 'Replace key', 'Rotate secret', 'Delete'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  });

  await t.test('websites: deletes one after a confirmation', async (t) => {
    const { page } = await open(t, '/leadpulse/websites');
    await page.getByRole('link', { name: 'Journal' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this website?' });
    await dialog.getByText('Past traffic is kept.').waitFor();
    await dialog.getByRole('button', { name: 'Delete website' }).click();
    await page.getByRole('region', { name: 'No websites yet' }).waitFor();
    assert.deepEqual(await sites(), []);
  });
}
