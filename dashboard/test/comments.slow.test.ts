import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startMailSink } from '../../tests/mail-sink.ts';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen, signIn } from './journey.ts';

test('users comment on what they work on and mention each other', { skip: withoutBrowser }, async (t) => {
  const sink = await startMailSink(t);
  const [platform, browser] = await Promise.all([startPlatform(t, { env: { SMTP_URL: sink.url } }), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const invite = async (email: string, name: string, role: string) =>
    (await client.post('/v2/settings/users', { email, name, role })).data.invitation_url;
  const owner = await createOpen(t, platform, browser);
  const bea = await createOpen(t, platform, browser, signIn(browser, invite('bea@example.com', 'Bea Viewer', 'viewer')));
  const found: Found = {};
  const from = { email: 'news@example.com' };
  const campaign = (
    await client.post('/v2/campaigns', { name: 'Spring', subject: 'Spring', from, html: '<p>Hello</p>', audience: { include: ['all'] } })
  ).data.id;
  const template = (await client.post('/v2/campaigns/templates', { name: 'Base', subject: 'Base', html: '<p>Hello</p>' })).data.id;
  const segment = (
    await client.post('/v2/segments', { name: 'Berlin', definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] } })
  ).data.id;
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
  const workflow = (await client.post('/v2/workflows', { name: 'Welcome', status: 'draft', trigger: { type: 'manual' }, steps })).data.id;

  await t.test('a user mentions another one by keys, who is emailed and sees it in the header', async (t: TestContext) => {
    const { page } = await owner(t, `/campaigns/${campaign}`);
    const panel = page.getByRole('region', { name: 'Comments' });
    await panel.getByText('No comments yet.').waitFor();
    await panel.getByLabel('Add a comment').focus();
    await page.keyboard.type('Please check, @be');
    await page.getByRole('option', { name: 'Bea Viewer' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('<img src=x onerror=alert(1)>');
    await panel.getByText('Emails Bea Viewer.').waitFor();
    await lookAt(page, 'writing', found);
    await panel.getByRole('button', { name: 'Comment', exact: true }).focus();
    await page.keyboard.press('Enter');
    const comment = panel.getByRole('article', { name: 'Comment by Owner' });
    await comment.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await comment.locator('img').count(), 0);
    const mail = await eventually(async () =>
      sink.caught.find((one) => one.to === 'bea@example.com' && one.mail.subject?.includes('mentioned')),
    );
    assert.equal(mail.mail.subject, 'Owner mentioned you in a comment on the campaign “Spring”');
    assert.match(String(mail.mail.text), new RegExp(`@Bea Viewer <img src=x onerror=alert\\(1\\)>\\s+\\S+/campaigns/${campaign}#comments`));
    assert.ok(!mail.mail.html);
  });

  await t.test('the mentioned user opens the comment from the header, replies and resolves it with the mouse', async (t: TestContext) => {
    const { page } = await bea(t, '/segments');
    await page.getByRole('button', { name: 'Mentions: 1 unread' }).click();
    await page.getByRole('link', { name: /Owner in the campaign Spring/ }).waitFor();
    await lookAt(page, 'mentions', found);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: /Owner in the campaign Spring/ }).click();
    const panel = page.getByRole('region', { name: 'Comments' });
    await panel.getByRole('article', { name: 'Comment by Owner' }).waitFor();
    assert.match(page.url(), new RegExp(`/campaigns/${campaign}#comments$`));
    await page.getByRole('button', { name: 'Mentions', exact: true }).waitFor();
    await panel.getByLabel('Add a comment').fill('The link is right.');
    await panel.getByRole('button', { name: 'Comment', exact: true }).click();
    const own = panel.getByRole('article', { name: 'Comment by Bea Viewer' });
    await own.getByRole('button', { name: /^Edit/ }).click();
    await own.getByLabel('Edit the comment').fill('The link is right now.');
    await own.getByRole('button', { name: 'Save' }).click();
    await own.getByText('The link is right now.').waitFor();
    await own.getByText('edited').waitFor();
    const first = panel.getByRole('article', { name: 'Comment by Owner' });
    assert.equal(await first.getByRole('button', { name: /^(Edit|Delete)/ }).count(), 0, 'what the API would refuse');
    await first.getByRole('button', { name: /^Resolve/ }).click();
    await panel.getByText('Resolved (1)').click();
    await first.getByText('resolved').waitFor();
    await lookAt(page, 'resolved', found);
    await first.getByRole('button', { name: /^Reopen/ }).click();
    await panel.getByText('Open (2)').or(panel.getByText('No resolved comments.')).first().waitFor();
  });

  await t.test('an admin deletes a comment of another user; the pages of templates, segments and workflows have comments', async (t) => {
    const { page } = await owner(t, `/campaigns/${campaign}`);
    const panel = page.getByRole('region', { name: 'Comments' });
    const other = panel.getByRole('article', { name: 'Comment by Bea Viewer' });
    await other.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('button', { name: 'Delete comment' }).click();
    await other.waitFor({ state: 'detached' });
    for (const [name, path] of [
      ['template', `/campaigns/templates/${template}`],
      ['segment', `/segments/${segment}`],
      ['workflow', `/workflows/${workflow}`],
    ] as const) {
      await page.goto(platform.url + path);
      // The comment must not save what is being edited around it.
      if (name === 'template') await page.getByLabel('Description').fill('Not finished');
      await panel.getByLabel('Add a comment').fill('Looks good.');
      await panel.getByRole('button', { name: 'Comment', exact: true }).click();
      await panel.getByRole('article', { name: 'Comment by Owner' }).waitFor();
      if (name === 'template') {
        assert.equal((await client.get(`/v2/campaigns/templates/${template}`)).data.description, null);
        await page.getByLabel('Description').fill('');
      }
      await lookAt(page, name, found, { within: '#comments' });
      await page.setViewportSize({ width: 1440, height: 900 });
    }
  });

  assert.deepEqual(found, {});
});
