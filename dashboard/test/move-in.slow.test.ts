import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mailchimpExport } from '../../libs/move-in/test/mailchimp-export.ts';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

const count = 40;

test('moving in with the export of another system, in the dashboard', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const open = await createOpen(t, platform, browser);
  const folder = await mkdtemp(join(tmpdir(), 'move-in-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'export.zip');
  await writeFile(file, mailchimpExport(count));
  const { page } = await open(t, '/contacts/imports');
  const shoot = async (name: string) => {
    const to = process.env.MOVE_IN_SHOTS;
    if (to === undefined) return;
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [390, 1_280]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: join(to, `${name}-${scheme}-${width}.png`), fullPage: true });
      }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1_280, height: 900 });
  };
  const choose = async () => {
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'The export' }).click();
    await (await chosen).setFiles(file);
  };

  await t.test('shows what would come, what would not and which merge tags have no equal, before anything is imported', async () => {
    await page
      .getByRole('link', { name: /Move in/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Move in', exact: true }).waitFor();
    await shoot('empty');
    await page.getByText('Klaviyo', { exact: true }).click();
    await choose();
    await page.getByText('What comes from Klaviyo').waitFor();
    await page.getByText('Mailchimp', { exact: true }).click();
    await page.getByText('What comes from Mailchimp').waitFor();
    await page.getByText(`${count} subscribed, 1 unsubscribed, 1 without consent`).waitFor();
    await page.getByRole('table', { name: 'Skipped' }).getByText('have an invalid email address').waitFor();
    await page.getByRole('table', { name: 'Merge tags without an equal' }).getByText('*|LIST:NAME|*').waitFor();
    await page.getByRole('region', { name: 'What is not migrated' }).getByText('automations and customer journeys').waitFor();
    assert.equal((await client.get('/v2/contacts')).data.items.length, 0);
    await shoot('dry-run');
  });

  await t.test('an import that is aborted says so, resumes with the same file after the page was closed, and ends complete', async () => {
    await page.route('**/v2/campaigns/templates?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.getByRole('button', { name: `Import ${count + 2} contacts…` }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Import ${count + 2} contacts` })
      .click();
    await page.getByText('The import was interrupted').waitFor();
    await page
      .getByRole('table', { name: 'Progress' })
      .getByText(`${count + 2} new`)
      .waitFor();
    await shoot('interrupted');
    await page.unroute('**/v2/campaigns/templates?*');
    await page.reload();
    await page.getByText('The import of export.zip was interrupted').waitFor();
    await choose();
    await shoot('continues');
    await page.getByRole('button', { name: 'Resume the import' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Import ${count + 2} contacts` })
      .click();
    const results = page.getByRole('table', { name: 'Results' });
    await results.waitFor();
    await shoot('done');
    assert.deepEqual(await results.getByRole('rowheader').allInnerTexts(), ['Suppressions', 'Lists', 'Contacts', 'Templates']);
    const { items, pagination } = (await client.get('/v2/contacts?include=total_count&email=p3@example.com')).data;
    assert.deepEqual([pagination.total_count, items[0].first_name, items[0].tags], [1, 'Ada', ['vip']]);
    assert.equal((await client.get('/v2/contacts/imports')).data.items.length, 2, 'the contacts were not sent again');
    assert.equal((await client.get('/v2/contacts/suppressions')).data.items[0].email, 'bad@example.com');
    const { items: templates } = (await client.get('/v2/campaigns/templates')).data;
    assert.deepEqual(
      templates.map(({ name }: { name: string }) => name),
      ['Welcome'],
    );
    await page.reload();
    await page.getByRole('button', { name: 'The export' }).waitFor();
    assert.equal(await page.getByText('was interrupted').count(), 0);
  });

  await t.test('a file of another system, and a file that is not an export, are explained in the error message', async () => {
    const other = join(folder, 'other.csv');
    await writeFile(other, 'a,b\n1,2');
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'The export' }).click();
    await (await chosen).setFiles(other);
    await page.getByText('None of the files is a Mailchimp audience export').waitFor();
    await shoot('wrong-file');
  });
});
