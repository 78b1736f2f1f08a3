import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Locator } from 'playwright-core';
import { receiver } from '../../services/workflows/test/receiver.ts';
import type { Journey } from './journey.ts';
import { tabTo } from './keyboard.ts';
import { card, contactField, htmlEmail } from './workflow-editor.ts';

export async function workflowPlayer(t: TestContext, { open, client, demo, platform }: Journey) {
  await t.test('workflows: simulates a run without a contact, with one, and with a failing step', async (t) => {
    const { page } = await open(t, `/workflows/${demo.welcome.id}`);
    await page.getByRole('link', { name: 'Simulate' }).click();
    const path = page.getByRole('region', { name: 'Path', exact: true });
    const done = page.getByRole('list', { name: 'Effects' });
    const ends = page.getByRole('region', { name: 'Outcome' });
    await page.getByRole('button', { name: 'Simulate' }).click();
    await ends.getByText('in 3 days').waitFor();
    await done.getByText('Email “How is it going, ?” from news@example.com').waitFor();
    assert.equal(await done.getByText('Set source to "welcome"').count(), 0);
    await page.getByLabel('Big team?').selectOption('seats is at least 8');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await done.getByText('Set source to "welcome"').waitFor();
    await card(page, 'invite').and(page.locator('[data-lit]')).waitFor();
    await page.getByRole('button', { name: 'Open email' }).click();
    await page.getByRole('dialog').frameLocator('iframe').getByText('Hi').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Big team?').selectOption('');
    await contactField(page).fill('nobody@example.com');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('alert').getByText('No contact has the address').waitFor();
    await contactField(page).fill('ada.0@example.com');
    await page.getByRole('combobox', { name: 'Steps that fail' }).click();
    await page.getByRole('option', { name: 'Send email' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await path
      .getByText(/Send email: .*[Rr]efused/)
      .first()
      .waitFor();
    const { data } = await client.get(`/v2/workflows/${demo.welcome.id}/analytics`);
    assert.equal(data.counts.entered, 6, 'a simulation enrolls no contacts');
  });

  await t.test('workflows: simulates a run with an event on the timeline, and steps through it by keyboard', async (t) => {
    const steps = [
      {
        id: 'order',
        name: 'Until they order',
        type: 'wait_until',
        any: [{ type: 'event', name: 'order_placed' }],
        timeout: 'P7D',
        next: 'thank',
        on_timeout: 'remind',
      },
      { id: 'thank', ...htmlEmail, subject: 'Thank you, {{ contact.first_name }}', next: 'end' },
      { id: 'remind', ...htmlEmail, subject: 'Anything missing?', next: 'end' },
      { id: 'end', type: 'exit' },
    ];
    const { id } = (await client.post('/v2/workflows', { name: 'Waits for an order', trigger: { type: 'manual' }, steps })).data;
    const { page } = await open(t, `/workflows/${id}/simulate`);
    const { keyboard } = page;
    const press = async (locator: Locator) => {
      await tabTo(page, locator);
      await keyboard.press('Enter');
    };
    const player = page.getByRole('group', { name: 'Player' });
    const isLit = (stepId: string, is: boolean) =>
      card(page, stepId)
        .and(page.locator(is ? '[data-lit]' : ':not([data-lit])'))
        .waitFor();
    const isCurrent = (stepId: string) => card(page, stepId).and(page.locator('[aria-current=step]')).waitFor();
    await contactField(page).fill('ada.0@example.com');
    await press(page.getByRole('button', { name: 'Simulate' }));
    await isLit('remind', true);
    await isLit('thank', false);

    // An order changes the path.
    await press(page.getByRole('button', { name: 'Add event' }));
    const dialog = page.getByRole('dialog', { name: 'Add event' });
    await dialog.getByLabel('What happens').and(page.locator(':focus')).waitFor();
    await press(dialog.getByRole('button', { name: 'Add', exact: true }));
    await dialog.getByText('Enter the name of an event.').waitFor();
    await dialog.getByLabel('Event', { exact: true }).and(page.locator(':focus')).waitFor();
    await keyboard.insertText('order_placed');
    await keyboard.press('Escape');
    await tabTo(page, dialog.getByLabel('Time after the start', { exact: true }));
    await keyboard.press('Control+A');
    await keyboard.insertText('2');
    await press(dialog.getByRole('button', { name: 'Add', exact: true }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('After 2 days').waitFor();
    await press(page.getByRole('button', { name: 'Simulate' }));
    await isLit('thank', true);
    await isLit('remind', false);

    // Back before the order, and forward to the email.
    const emails = page.getByRole('list', { name: 'Emails' });
    await tabTo(page, player.getByRole('slider', { name: 'Moment' }));
    await keyboard.press('Home');
    await player.getByText('1 of').waitFor();
    await isLit('order', false);
    assert.equal(await emails.getByRole('listitem').count(), 0);
    await keyboard.press('ArrowRight');
    await isCurrent('order');
    await isLit('thank', false);
    await press(player.getByRole('button', { name: 'Back' }));
    await player.getByText('1 of').waitFor();
    await press(player.getByRole('button', { name: 'Play' }));
    await emails.getByText('Thank you, Ada').waitFor();
    await player.getByText('in 2 days').waitFor();
    await isLit('end', true);
    await player.getByRole('button', { name: 'Play' }).waitFor();
    await press(emails.getByRole('button', { name: 'Open email' }));
    await page.getByRole('dialog').frameLocator('iframe').getByText('Hi').waitFor();
    await keyboard.press('Escape');

    // The same event later than the wait, and then not at all.
    await press(page.getByRole('button', { name: /^Edit: The event order_placed/ }));
    const edited = page.getByRole('dialog', { name: 'Edit event' });
    await tabTo(page, edited.getByLabel('Time after the start', { exact: true }));
    await keyboard.press('Control+A');
    await keyboard.insertText('9');
    await press(edited.getByRole('button', { name: 'Save' }));
    await page.getByText('After 9 days').waitFor();
    await press(page.getByRole('button', { name: 'Simulate' }));
    await isLit('remind', true);
    await press(page.getByRole('button', { name: /^Remove: The event order_placed/ }));
    await page.getByText('After 9 days').waitFor({ state: 'detached' });
  });

  await t.test('workflows: a simulation names the segments and workflows of its effects', async (t) => {
    const segment = (await client.post('/v2/segments', { name: 'Guests', kind: 'static' })).data;
    const steps = [
      { id: 'join', type: 'add_to_segment', segment_id: segment.id, next: 'start' },
      { id: 'start', type: 'start_workflow', workflow_id: demo.welcome.id },
    ];
    const { id } = (await client.post('/v2/workflows', { name: 'Invites', trigger: { type: 'manual' }, steps })).data;
    const { page } = await open(t, `/workflows/${id}/simulate`);
    await page.getByRole('button', { name: 'Simulate' }).click();
    const effects = page.getByRole('list', { name: 'Effects' });
    await effects.getByText('Add to “Guests”').waitFor();
    await effects.getByText('Start “Welcome”').waitFor();
  });

  await t.test('workflows: plays a finished run and opens its emails, with captured responses and the template of that time', async (t) => {
    const url = await receiver(t, (_, response) => response.end('{"score": 70}'));
    const content = { subject: 'An offer', html: '<p>Old offer for {{ responses.score.value }} points</p>' };
    const template = (await client.post('/v2/campaigns/templates', { name: 'Offer by score', ...content })).data;
    const { html: _, ...sender } = htmlEmail;
    const steps = [
      { id: 'score', type: 'webhook', url, capture: { value: '/score' }, next: 'mail' },
      {
        id: 'mail',
        ...sender,
        subject: 'Welcome, {{ contact.first_name }}',
        html: '<p>Hi, {{ responses.score.value }}</p>',
        next: 'offer',
      },
      { id: 'offer', ...sender, template_id: template.id },
    ];
    const { id } = (await client.post('/v2/workflows', { name: 'Greets', trigger: { type: 'manual' }, steps })).data;
    const { runs } = (await client.post(`/v2/workflows/${id}/trigger`, { contact_id: demo.ada.id })).data;
    const { run_id } = runs[0];
    await eventually(async () => (await client.get(`/v2/workflows/runs/${run_id}`)).data.state === 'completed');
    await client.put(`/v2/campaigns/templates/${template.id}`, { html: '<p>New offer</p>' });
    const { page } = await open(t, `/workflows/runs/${run_id}`);
    const player = page.getByRole('group', { name: 'Player' });
    await card(page, 'mail').and(page.locator('[data-lit]')).waitFor();
    const dialog = page.getByRole('dialog');
    for (const [index, text] of ['Hi, 70', 'Old offer for 70 points'].entries()) {
      await page.getByRole('button', { name: 'Open email' }).nth(index).click();
      await dialog.frameLocator('iframe').getByText(text).waitFor();
      assert.equal(await dialog.getByText('The template is the version').count(), index);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await tabTo(page, player.getByRole('slider', { name: 'Moment' }));
    await page.keyboard.press('Home');
    await card(page, 'mail').and(page.locator(':not([data-lit])')).waitFor();
    await page.getByText('None so far').waitFor();
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Open email' }).first().waitFor();
    for (const [path, sent] of [
      [`workflows/${id}`, 2],
      [`campaigns/templates/${template.id}`, 1],
    ] as const) {
      await page.goto(`${platform.url}/${path}`);
      await page.getByRole('region', { name: 'Emails' }).getByText(`Sent${sent}Opened0`).waitFor();
    }
  });
}
