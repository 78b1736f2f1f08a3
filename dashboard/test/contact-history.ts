import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { script } from './demo.ts';
import type { Journey } from './journey.ts';

/** A contact's timeline, consent and merges, and the suppressions. */
export async function contactHistory(t: TestContext, { open, client, demo }: Journey) {
  await t.test('timeline: shows entries from every service and links to their pages', async (t) => {
    const { page } = await open(t, `/contacts/${demo.ada.id}`);
    const timeline = page.getByRole('table', { name: 'Timeline' });
    // The visited page's title is a script, which must be shown as text.
    await timeline.getByText(`Viewed ${script}`).waitFor();
    await timeline.getByText('Another contact was merged into this one').waitFor();
    await page.getByLabel('Type').selectOption('Workflows');
    await timeline.getByText('Viewed').first().waitFor({ state: 'detached' });
    await timeline.getByRole('link', { name: 'Entered the workflow “Welcome”' }).click();
    await page.getByRole('heading', { name: 'Welcome for Ada Lovelace' }).waitFor();
  });

  await t.test('timeline: names the campaign of an email', async (t) => {
    const [alan] = (await client.get('/v2/contacts?email=alan.8@example.com')).data.items;
    const { page } = await open(t, `/contacts/${alan.id}`);
    await page
      .getByRole('table', { name: 'Timeline' })
      .getByRole('row', { name: /Email sent Autumn release/ })
      .waitFor();
  });

  await t.test('consent: records a change with its evidence in the history', async (t) => {
    const { id } = (await client.post('/v2/contacts', { email: 'consent@example.org', first_name: 'Connie' })).data;
    const { page } = await open(t, `/contacts/${id}`);
    const panel = page.getByRole('region', { name: 'Consent' });
    await panel.getByText('Not recorded').last().waitFor();
    await panel.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Channel').selectOption('SMS');
    await page.getByRole('dialog').getByLabel('Source').fill('Shop checkout');
    await page.getByLabel('Consent text').fill('Text me');
    await page.getByLabel('IP address').fill('not an address');
    await page.getByRole('button', { name: 'Save consent' }).click();
    await page.getByLabel('IP address').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('IP address').fill('203.0.113.9');
    await page.getByRole('button', { name: 'Save consent' }).click();
    await panel.getByText('Subscribed via a form').waitFor();
    assert.equal((await client.get(`/v2/contacts/${id}/consent`)).data.sms.status, 'subscribed');

    await panel.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'Consent of Connie' }).waitFor();
    const row = page.getByRole('table', { name: 'Changes' }).getByRole('row', { name: /SMS.*Not recorded → Subscribed via a form/ });
    assert.match(await row.innerText(), /Shop checkout.*Text me.*203\.0\.113\.9/s);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Channel').selectOption('SMS');
    await page.getByRole('dialog').getByLabel('Status').selectOption('Unsubscribed');
    await page.getByRole('button', { name: 'Save consent' }).click();
    await page.getByRole('row', { name: /SMS.*Subscribed → Unsubscribed/ }).waitFor();
  });

  await t.test('merge: merges two contacts and undoes it', async (t) => {
    const keep = (await client.post('/v2/contacts', { email: 'keep@example.org', first_name: 'Kim' })).data;
    const other = (await client.post('/v2/contacts', { email: 'other@example.org', first_name: 'Kimberly', company: 'Sample' })).data;
    const { page } = await open(t, `/contacts/${keep.id}`);
    await page.getByRole('button', { name: 'Merge…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Contact to merge').fill('nobody@example.org');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('No contact has the address nobody@example.org.').waitFor();
    await dialog.getByLabel('Contact to merge').fill(keep.id);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('button', { name: 'Merge contacts' }).click();
    await dialog.getByRole('alert').getByText('A contact cannot be merged into itself.').waitFor();
    await dialog.getByRole('button', { name: 'Choose another contact' }).click();
    await dialog.getByLabel('Contact to merge').fill('other@example.org');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Sample').waitFor();
    await dialog.getByRole('button', { name: 'Merge contacts' }).click();
    await page.getByText('Kimberly was merged into Kim.').waitFor();
    await page.getByRole('region', { name: 'Details' }).getByText('Sample').waitFor();
    assert.equal((await client.get(`/v2/contacts/${other.id}`)).data.id, keep.id);

    await page.getByRole('region', { name: 'Merged contacts' }).getByRole('button', { name: 'Undo the merge of Kimberly' }).click();
    await page.getByRole('button', { name: 'Undo merge' }).click();
    await page.getByText('Kimberly is a separate contact again.').waitFor();
    await page.getByRole('region', { name: 'Merged contacts' }).getByText('undone').waitFor();
    assert.equal((await client.get(`/v2/contacts/${other.id}`)).data.company, 'Sample');
    assert.equal((await client.get(`/v2/contacts/${keep.id}`)).data.company, null);
  });

  await t.test('suppressions: adds, finds and removes one', async (t) => {
    const { page } = await open(t, '/contacts');
    await page.getByRole('link', { name: 'Suppressions' }).click();
    await page.getByRole('row', { name: /All addresses at example\.net.*Complaint/ }).waitFor();
    await page.getByRole('button', { name: 'Suppress', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address or domain').fill('not a domain');
    await dialog.getByRole('button', { name: 'Suppress' }).click();
    await dialog.getByLabel('Email address or domain').and(page.locator('[aria-invalid=true]')).waitFor();
    await dialog.getByLabel('Email address or domain').fill('linus.2@example.com');
    await dialog.getByLabel('Note').fill('Wrote to support');
    await dialog.getByRole('button', { name: 'Suppress' }).click();
    await page.getByText('linus.2@example.com is now suppressed.').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('linus.2@example.com');
    await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
    await page.getByRole('row', { name: /example\.net/ }).waitFor({ state: 'detached' });
    await eventually(async () => (await client.get('/v2/contacts?email=linus.2@example.com')).data.items[0].status === 'suppressed');
    await page.getByRole('button', { name: 'Remove the suppression of linus.2@example.com' }).click();
    await page.getByRole('button', { name: 'Remove suppression' }).click();
    await page.getByText('linus.2@example.com can be emailed again.').waitFor();
    await page.getByText('linus.2@example.com is not suppressed.').waitFor();
  });
}
