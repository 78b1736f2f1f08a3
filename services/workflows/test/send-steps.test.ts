import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { liveService } from './live-service.ts';
import { mail } from './setting.ts';

const { from } = mail;

test('a send step', async (t) => {
  const { account, contact, create, ended, events, play, trigger } = await liveService(t);
  const sending = (step: object, more: object = {}) => ({ steps: [{ id: 'hi', type: 'send', from, ...step }], ...more });
  const template = (content: Partial<{ subject: string | null; preview_text: string; html: string }> = {}) => {
    const id = newId('template');
    play.templates.set(id, { subject: 'Hi {{ contact.first_name }}', preview_text: null, html: '<p>Hello</p>', text: null, ...content });
    return id;
  };

  await t.test('requests the current version of its template', async () => {
    const template_id = template();
    const workflow = await create(sending({ template_id, preview_text: 'Look' }));
    const runId = await trigger(workflow.id, await contact());
    assert.equal((await ended(runId)).state, 'completed');
    const { data } = await events.next(SendEffectRequested, ({ data }) => data.run_id === runId);
    const { message, category } = data;
    assert.deepEqual(
      [message.template_id, message.subject, message.preview_text, message.html, category],
      [template_id, null, 'Look', null, 'marketing'],
    );
  });

  await t.test('is simulated with its template, and refused in both worlds once the template is gone', async () => {
    const template_id = template({ preview_text: 'For {{ contact.first_name }}' });
    const workflow = await create(sending({ template_id, subject: 'Welcome, {{ contact.first_name }}' }));
    const id = await contact();
    play.contacts.set(id, { id, email: 'ada@example.com', first_name: 'Ada' });
    const simulate = async () => (await account.post(`/v2/workflows/${workflow.id}/simulate`, { contact_id: id })).data;
    const [message] = (await simulate()).messages;
    assert.deepEqual([message.subject, message.preview_text], ['Welcome, Ada', 'For Ada']);
    assert.match(message.html, /Hello/);
    play.templates.delete(template_id);
    play.outcome = () => ({ status: 'refused', reason: 'template_error', detail: 'The template no longer exists.' });
    t.after(() => {
      play.outcome = () => ({ status: 'done' });
    });
    const [simulated, live] = [await simulate(), await ended(await trigger(workflow.id, id))];
    assert.deepEqual([live.state, live.reason], [simulated.state, simulated.reason]);
    assert.equal(live.state, 'failed');
    play.outcome = () => ({ status: 'done' });
  });

  await t.test('that is transactional is sent in quiet hours, without an unsubscribe link', async () => {
    const always = { quiet_hours: { start: '00:00', end: '23:59', timezone: 'UTC' } };
    const step = { subject: 'Receipt', html: '<p>Paid</p>', category: 'transactional' };
    const workflow = await create(sending(step, always));
    const { data } = await account.post(`/v2/workflows/${workflow.id}/simulate`, { from: '2026-01-05T12:00:00Z' });
    assert.equal(data.ended_at, '2026-01-05T12:00:00.000Z');
    assert.doesNotMatch(data.messages[0].html, /unsubscribe/i);
    const marketing = await create(sending({ ...step, category: 'marketing' }, always));
    const { data: later } = await account.post(`/v2/workflows/${marketing.id}/simulate`, { from: '2026-01-05T12:00:00Z' });
    assert.equal(later.ended_at, '2026-01-05T23:59:00.000Z');
    assert.match(later.messages[0].html, /unsubscribe/i);
  });

  await t.test('that is wrong is rejected with the step and field', async () => {
    const template_id = template();
    const nameless = template({ subject: null });
    const broken = template({ html: '{{ contactt.name }}' });
    for (const [step, path, code] of [
      [{ template_id: newId('template') }, '/steps/0/template_id', 'unknown_template'],
      [{ template_id: nameless }, '/steps/0/subject', 'required'],
      [{ template_id: broken }, '/steps/0/html', 'unknown_field'],
      [{ template_id, subject: '{{ nothing }}' }, '/steps/0/subject', 'unknown_field'],
      [{ template_id, html: '<p>Hi</p>' }, '/steps/0/html', 'custom'],
      [{ template_id, text: 'Hi' }, '/steps/0/text', 'custom'],
      [{ subject: 'Hi' }, '/steps/0/html', 'custom'],
      [{ html: '<p>Hi</p>' }, '/steps/0/subject', 'custom'],
      [{ template_id, category: 'other' }, '/steps/0/category', 'invalid_value'],
    ] as const) {
      const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, ...sending(step) });
      assert.equal(response.status, 400, response.text);
      const [detail] = response.error.details;
      assert.deepEqual([detail.path, detail.code], [path, code], response.text);
    }
  });
});
