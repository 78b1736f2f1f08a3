import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { someUser } from './arbitraries.ts';
import { liveService } from './live-service.ts';
import { receiver } from './receiver.ts';
import { mail } from './setting.ts';

test('what a webhook captures', async (t) => {
  const { account, contact, create, ended, events, performedFor, play, trigger } = await liveService(t, { WEBHOOK_ALLOW_PRIVATE: true });
  const response = { result: { score: 70 }, plan: 'pro & more', secret: 'x' };
  const url = await receiver(t, (request, reply) => request.resume().on('end', () => reply.end(JSON.stringify(response))));
  const score = { id: 'score', type: 'webhook', url, capture: { value: '/result/score', plan: '/plan' } };
  const steps = [
    { ...score, next: 'hi' },
    { id: 'hi', ...mail, subject: 'You have {{ responses.score.value }}', html: '<p>{{ responses.score.plan }}</p>', next: 'set' },
    { id: 'set', type: 'update_contact', set: { attributes: { score: '{{ responses.score.value }}' } }, next: 'tell' },
    {
      id: 'tell',
      type: 'notify',
      user_id: someUser,
      subject: 'Scored',
      text: '{{ responses.score.value }} of {{ responses.score.plan }}',
      next: 'end',
    },
    { id: 'end', type: 'webhook', url, body: { score: '{{ responses.score.value }}' } },
  ];

  await t.test('is in the run and in later emails, notifications and fields, live as in a simulation with the same response', async () => {
    const workflow = await create({ steps });
    const id = await contact();
    play.contacts.set(id, { id, email: 'ada@example.com' });
    const simulated = (await account.post(`/v2/workflows/${workflow.id}/simulate`, { contact_id: id, responses: { score: response } }))
      .data;
    const runId = await trigger(workflow.id, id);
    assert.equal((await ended(runId)).state, simulated.state);

    const { data } = await events.next(SendEffectRequested, ({ data }) => data.run_id === runId);
    assert.deepEqual(data.responses, { score: { value: 70, plan: 'pro & more' } });
    assert.deepEqual((await account.get(`/v2/workflows/runs/${runId}`)).data.responses, data.responses);
    const [message] = simulated.messages;
    assert.equal(message.subject, 'You have 70');
    assert.match(message.html, /<p>pro &amp; more<\/p>/);
    const live = performedFor(runId);
    const changes = live.flatMap((effect) => ('change' in effect ? [effect.change] : []));
    assert.deepEqual(changes, [{ type: 'update_contact', members: { attributes: { score: 70 } } }]);
    assert.deepEqual(
      changes,
      simulated.changes.map(({ change }: { change: object }) => change),
    );
    const texts = live.flatMap((effect) => ('user_id' in effect ? [effect.text] : []));
    assert.deepEqual(texts, ['70 of pro & more']);
    assert.deepEqual(
      texts,
      simulated.notifications.map((one: { text: string }) => one.text),
    );
  });

  await t.test('is empty in a simulation without a response, with one that is too large, and after a refused call', async () => {
    const workflow = await create({ steps });
    const subject = async (body: object) => {
      const { status, data } = await account.post(`/v2/workflows/${workflow.id}/simulate`, body);
      assert.equal(status, 200);
      return data.messages[0].subject;
    };
    assert.equal(await subject({}), 'You have');
    assert.equal(await subject({ responses: { score: { ...response, more: 'x'.repeat(2_048) } } }), 'You have');
    assert.equal(await subject({ responses: { score: response }, refused: ['score'] }), 'You have');
    const unknown = await account.post(`/v2/workflows/${workflow.id}/simulate`, { responses: { hi: {} } });
    assert.deepEqual([unknown.status, unknown.error.details[0].path], [400, '/responses/hi']);
  });

  await t.test('must be captured by an earlier step, or the definition is rejected with the step and field', async () => {
    const template_id = newId('template');
    play.templates.set(template_id, { subject: 'Hi', preview_text: null, html: '{{ responses.score.rank }}', text: null });
    const read = '{{ responses.score.value }}';
    const end = { id: 'end', type: 'exit' };
    const { from } = mail;
    const cases: [string, object[], string][] = [
      ['by no step', [{ id: 'a', ...mail, html: read }], '/steps/0/html'],
      ['by a later step', [{ id: 'a', ...mail, subject: read, next: 'score' }, score], '/steps/0/subject'],
      [
        'under another name',
        [
          { ...score, next: 'a' },
          { id: 'a', ...mail, html: '{{ responses.score.rank }}' },
        ],
        '/steps/1/html',
      ],
      [
        'by another step',
        [
          { ...score, next: 'a' },
          { id: 'a', ...mail, preview_text: '{{ responses.rank.value }}' },
        ],
        '/steps/1/preview_text',
      ],
      [
        'in a template',
        [
          { ...score, next: 'a' },
          { id: 'a', type: 'send', template_id, from },
        ],
        '/steps/1/html',
      ],
      [
        'on the other path',
        [
          {
            id: 'which',
            type: 'split',
            paths: [
              { weight: 1, to: 'score' },
              { weight: 1, to: 'a' },
            ],
          },
          score,
          { id: 'a', ...mail, html: read },
        ],
        '/steps/2/html',
      ],
      ['in a field', [{ id: 'a', type: 'update_contact', set: { company: read } }], '/steps/0/set'],
      ['in a notification', [{ id: 'a', type: 'notify', user_id: someUser, subject: 'Hi', text: read }], '/steps/0/text'],
      ['in a body', [{ ...score, body: [read] }], '/steps/0/body'],
      [
        'in a condition',
        [{ id: 'a', type: 'branch', branches: [{ data: { 'responses.score.value': 1 }, to: 'end' }] }, end],
        '/steps/0/branches/0/data',
      ],
    ];
    for (const [why, wrong, path] of cases) {
      const { status, error } = await account.post('/v2/workflows', {
        name: 'W',
        trigger: { type: 'manual' },
        status: 'draft',
        steps: wrong,
      });
      assert.equal(status, 400, why);
      assert.deepEqual([error.details[0].path, error.details[0].code], [path, 'unknown_field'], why);
      assert.match(error.details[0].message, /^The step \w+: No earlier step captures responses\.(score|rank)\./, why);
    }
  });

  await t.test('can be read after paths that join, in a loop by the webhook itself, and under a computed name', async () => {
    await create({
      steps: [
        { ...score, body: { before: '{{ responses.score.value }}' }, next: 'which' },
        { id: 'which', type: 'split', paths: ['hi', 'wait'].map((to) => ({ weight: 1, to })) },
        { id: 'wait', type: 'delay', for: 'P1D', next: 'score' },
        {
          id: 'hi',
          ...mail,
          html: '{{ responses.score[contact.first_name] }} {{ responses[contact.first_name].value }} {{ responses.score }}',
        },
      ],
    });
  });
});
