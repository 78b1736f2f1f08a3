import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrequencyCapChanged } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { mail } from './setting.ts';

const { from } = mail;

test('a send step', async (t) => {
  const { account, clock, contact, create, ended, events, logEvents, parts, pass, performedFor, play, read, trigger } =
    await liveService(t);
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

  await t.test('is simulated with its template, and refused both live and in simulations once the template is gone', async () => {
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
    const always = { quiet_hours: { from: '00:00', to: '23:59', timezone: 'UTC' } };
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

  await t.test('that waits for the frequency cap sends once it allows the email, live as in the simulation', async () => {
    const workflow = await create(sending({ subject: 'Hi', html: '<p>Hi</p>', when_capped: 'wait' }));
    const hourMs = 3_600_000;
    const allowedAt = new Date(clock().getTime() + 50 * hourMs);
    play.outcome = () =>
      clock() < allowedAt ? { status: 'refused', reason: 'frequency_cap', retry_at: allowedAt.toISOString() } : { status: 'done' };
    const runId = await trigger(workflow.id, await contact());
    const held = await eventually(async () => {
      const run = await read(runId);
      return run.waiting_for === 'time' && run;
    });
    assert.deepEqual([held.step_id, held.wake_at], ['hi', allowedAt.toISOString()]);
    const stored = await parts.mongo.db.collection<{ _id: string; capped?: string }>('runs').findOne({ _id: runId });
    assert.ok(stored?.capped, 'a process that takes over knows since when');
    pass(50 * hourMs);
    const live = await ended(runId);
    assert.equal(live.state, 'completed');
    play.outcome = () => ({ status: 'done' });
    const simulate = async (body: object) => (await account.post(`/v2/workflows/${workflow.id}/simulate`, body)).data;
    const from = clock();
    const simulated = await simulate({ from: from.toISOString(), capped: { hi: 'PT50H' } });
    assert.deepEqual(logEvents(simulated), logEvents(live));
    assert.deepEqual([simulated.messages.length, simulated.messages[0].at], [1, new Date(from.getTime() + 50 * hourMs).toISOString()]);
    const forever = await simulate({ from: from.toISOString(), capped: { hi: 'P30D' } });
    assert.deepEqual([forever.messages.length, forever.ended_at], [0, new Date(from.getTime() + 7 * 24 * hourMs).toISOString()]);
    assert.equal(
      (await account.post(`/v2/workflows/${workflow.id}/simulate`, { capped: { no: 'P1D' } })).error.details[0].code,
      'unknown_step',
    );
  });

  await t.test('that waits for the frequency cap tries again within seconds when the cap changes', async () => {
    const workflow = await create(sending({ subject: 'Hi', html: '<p>Hi</p>', when_capped: 'wait' }));
    const retry_at = new Date(clock().getTime() + 50 * 3_600_000).toISOString();
    play.outcome = () => ({ status: 'refused', reason: 'frequency_cap', retry_at });
    const runId = await trigger(workflow.id, await contact());
    await eventually(async () => (await read(runId)).waiting_for === 'time');
    play.outcome = () => ({ status: 'done' });
    const other = newId('account');
    await play.publish(FrequencyCapChanged, other, {});
    const settings = parts.mongo.db.collection<{ _id: string; changed_at: Date; recheck_at: Date }>('settings');
    await eventually(async () => {
      const row = await settings.findOne({ _id: other });
      return row !== null && row.recheck_at > row.changed_at;
    });
    assert.deepEqual([(await read(runId)).waiting_for, performedFor(runId).length], ['time', 0], 'not for the cap of another account');
    await play.publish(FrequencyCapChanged, account.accountId, {});
    assert.equal((await ended(runId)).state, 'completed');
    assert.equal(performedFor(runId).length, 1);
  });

  await t.test('with variants sends each contact one of them, whatever is retried or changed, and counts what was sent', async () => {
    const template_id = template({ subject: 'From the template' });
    const variants = [
      { name: 'Plain', weight: 40 },
      { name: 'v2.0 $', weight: 35, subject: 'Second', preview_text: 'Look' },
      { name: 'Template', weight: 25, template_id },
    ];
    const step = { subject: 'First', html: '<p>Hi</p>', text: 'Hi', variants };
    const workflow = await create(sending(step, { entry: { policy: 'every_time' } }));
    const ids = await Promise.all(Array.from({ length: 12 }, () => contact()));
    const subjects: Record<string, string | null> = { Plain: 'First', 'v2.0 $': 'Second', Template: 'First' };
    const nameIn = ({ log }: { log: { text: string }[] }) =>
      log.flatMap(({ text }) => /^hi: Done: the variant "(.+)" was sent\.$/.exec(text)?.[1] ?? []);
    const sentTo = new Map<string, string>();
    for (const id of ids) {
      play.contacts.set(id, { id, email: `${id}@example.com` });
      const runId = await trigger(workflow.id, id);
      const run = await ended(runId);
      const [name = ''] = nameIn(run);
      sentTo.set(id, name);
      const { data } = await events.next(SendEffectRequested, ({ data }) => data.run_id === runId);
      const { subject, preview_text, html, text, template_id: sent } = data.message;
      assert.equal(subject, subjects[name]);
      assert.deepEqual([html, text], name === 'Template' ? [null, null] : ['<p>Hi</p>', 'Hi']);
      assert.deepEqual([preview_text, sent], [name === 'v2.0 $' ? 'Look' : null, name === 'Template' ? template_id : undefined]);
      assert.ok(run.log.some((one: { text: string }) => one.text.startsWith(`hi: Sending the variant "${name}": the email "${subject}"`)));
      const { data: simulated } = await account.post(`/v2/workflows/${workflow.id}/simulate`, { contact_id: id });
      assert.deepEqual([simulated.messages[0].variant, simulated.messages[0].subject, nameIn(simulated)], [name, subject, [name]]);
    }
    assert.ok(new Set(sentTo.values()).size > 1);
    const analytics = async () => (await account.get(`/v2/workflows/${workflow.id}/analytics`)).data.steps[0].variants;
    const names = [...sentTo.values()];
    const counted = [...new Set(names)].sort().map((name) => ({ name, sent: names.filter((one) => one === name).length }));
    assert.deepEqual(await analytics(), counted);
    await account.put(`/v2/workflows/${workflow.id}`, sending({ ...step, subject: 'Newer' }));
    const [first = ids[0]] = ids;
    const again = await ended(await trigger(workflow.id, String(first)));
    assert.deepEqual([again.workflow_version, nameIn(again)], [2, [sentTo.get(String(first))]]);
    const chosen = await account.post(`/v2/workflows/${workflow.id}/simulate`, { variants: { hi: 'Template' } });
    assert.deepEqual([chosen.data.messages[0].variant, chosen.data.messages[0].subject], ['Template', 'Newer']);
    const none = await account.post(`/v2/workflows/${workflow.id}/simulate`, { variants: { hi: 'None' } });
    assert.equal(none.error.details[0].code, 'unknown_variant');
    const named = await create({ steps: [{ id: 'constructor', type: 'send', from, subject: 'Hi', html: '<p>Hi</p>' }] });
    const { status } = await account.post(`/v2/workflows/${named.id}/simulate`, {});
    assert.equal(status, 200, 'also a step with the name of a property of every object');
  });

  await t.test('with invalid variants is rejected with the step and field', async () => {
    const a = { name: 'A', weight: 50 };
    const b = { name: 'B', weight: 50 };
    const own = { subject: 'Hi', html: '<p>Hi</p>' };
    const template_id = template();
    const nameless = template({ subject: null });
    const uncaptured = template({ subject: '{{ responses.score.value }}' });
    for (const [step, path, code] of [
      [{ ...own, variants: [a] }, '/steps/0/variants', 'too_small'],
      [{ ...own, variants: [a, { ...b, weight: 49 }] }, '/steps/0/variants', 'invalid_weights'],
      [{ ...own, variants: [a, { ...b, name: 'A' }] }, '/steps/0/variants/1/name', 'duplicate_variant'],
      [{ ...own, variants: [a, { ...b, html: '<p>Hi</p>', template_id }] }, '/steps/0/variants/1/html', 'custom'],
      [{ ...own, variants: [a, { ...b, subject: '{{ nothing }}' }] }, '/steps/0/variants/1/subject', 'unknown_field'],
      [{ ...own, variants: [a, { ...b, html: '{{ contactt.name }}' }] }, '/steps/0/variants/1/html', 'unknown_field'],
      [{ ...own, variants: [a, { ...b, template_id: newId('template') }] }, '/steps/0/variants/1/template_id', 'unknown_template'],
      [{ template_id, variants: [a, { ...b, html: '<p>Hi</p>' }] }, '/steps/0/variants/1/subject', 'required'],
      [{ template_id, variants: [a, { ...b, template_id: nameless }] }, '/steps/0/variants/1/subject', 'required'],
      [{ template_id, variants: [a, { ...b, template_id: uncaptured }] }, '/steps/0/variants/1/subject', 'unknown_field'],
      [{ ...own, preview_text: '{{ nothing }}', variants: [a, { ...b, html: '<p>Hi</p>' }] }, '/steps/0/preview_text', 'unknown_field'],
    ] as const) {
      const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, ...sending(step) });
      assert.equal(response.status, 400, response.text);
      const [detail, ...more] = response.error.details;
      assert.deepEqual([detail.path, detail.code, more.length], [path, code, 0], response.text);
      if (/invalid|duplicate|required/.test(code)) assert.match(detail.message, /^The step hi: /);
    }
  });

  await t.test('that is invalid is rejected with the step and field', async () => {
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
      [{ template_id, when_capped: 'never' }, '/steps/0/when_capped', 'invalid_value'],
    ] as const) {
      const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, ...sending(step) });
      assert.equal(response.status, 400, response.text);
      const [detail] = response.error.details;
      assert.deepEqual([detail.path, detail.code], [path, code], response.text);
    }
  });
});
