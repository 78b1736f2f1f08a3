import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotifyEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { liveService } from './live-service.ts';

test('a notify step', async (t) => {
  const { account, contact, create, ended, events, play, trigger } = await liveService(t);
  const user_id = newId('user');
  const notifying = (step: object = {}, more: object = {}) => ({
    name: 'W',
    trigger: { type: 'manual' },
    steps: [{ id: 'tell', type: 'notify', user_id, subject: 'Order', text: '{{ data.total }} of {{ contact.first_name }}', ...step }],
    ...more,
  });
  const ada = async () => {
    const id = await contact();
    play.contacts.set(id, { id, email: `${id}@example.com`, first_name: 'Ada' });
    return id;
  };

  await t.test('requests an email with the data of the run and the fields of the contact', async () => {
    const { id } = await create(notifying({ subject: '{{ data.total }}' }));
    const contact_id = await ada();
    const body = { contact_id, data: { total: 1_200 } };
    const { data: simulated } = await account.post(`/v2/workflows/${id}/simulate`, body);
    assert.deepEqual(
      simulated.notifications.map(({ subject, text }: Record<string, string>) => [subject, text]),
      [['1200', '1200 of Ada']],
    );
    const runId = String((await account.post(`/v2/workflows/${id}/trigger`, body)).data.runs[0].run_id);
    assert.equal((await ended(runId)).state, 'completed');
    const { data } = await events.next(NotifyEffectRequested, ({ data }) => data.run_id === runId);
    assert.deepEqual([data.user_id, data.subject, data.text], [user_id, '1200', '1200 of Ada']);
  });

  await t.test('that is refused shows the reason, and fails the run if on_error is exit', async () => {
    play.outcome = () => ({ status: 'refused', reason: 'The platform has no mail server.' });
    const run = await ended(await trigger((await create(notifying({}, { on_error: 'exit' }))).id, await ada()));
    assert.deepEqual([run.state, run.reason], ['failed', 'The platform has no mail server.']);
  });

  await t.test('that is invalid is rejected with the step and field', async () => {
    for (const [step, path, code] of [
      [{ user_id: 'ada' }, '/steps/0/user_id', 'invalid_format'],
      [{ subject: 'A\nB' }, '/steps/0/subject', 'custom'],
      [{ text: '{{ contact.frist_name }}' }, '/steps/0/text', 'unknown_field'],
      [{ text: '' }, '/steps/0/text', 'too_small'],
    ] as const) {
      const response = await account.post('/v2/workflows', notifying(step));
      assert.equal(response.status, 400, response.text);
      const [detail] = response.error.details;
      assert.deepEqual([detail.path, detail.code], [path, code], response.text);
    }
  });

  await t.test('that names a user whom the account does not have is rejected with the step and field', async () => {
    const stranger = newId('user');
    play.missingUsers.add(stranger);
    const response = await account.post('/v2/workflows', notifying({ user_id: stranger }));
    assert.equal(response.status, 400, response.text);
    assert.deepEqual(response.error.details, [
      { path: '/steps/0/user_id', code: 'unknown_user', message: `The account has no user ${stranger}.` },
    ]);
  });
});
