import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { mail, quietService, smallest } from '../../test/setting.ts';

test('POST /v2/workflows', async (t) => {
  const { app } = await quietService(t);
  const account = testClient(app, { permission: 'admin' });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'workflows:write', url: () => '/v2/workflows', body: smallest });

  await t.test('creates a minimal workflow, active and with the defaults', async () => {
    const response = await account.post('/v2/workflows', smallest);
    assert.equal(response.status, 201, response.text);
    const { data } = response;
    assert.equal(response.headers.location, `/v2/workflows/${data.id}`);
    assert.match(data.id, /^workflow_[0-9a-z]{26}$/);
    assert.match(data.created_at, /Z$/);
    assert.deepEqual(
      [data.status, data.version, data.entry, data.on_error, data.description, data.steps],
      ['active', 1, { policy: 'after_exit' }, 'continue', null, smallest.steps],
    );
    assert.equal(data.activated_at, data.created_at);
  });

  await t.test('creates a draft that has never been active', async () => {
    const { data } = await account.post('/v2/workflows', { ...smallest, status: 'draft' });
    assert.deepEqual([data.status, data.activated_at], ['draft', null]);
  });

  await t.test('keeps every kind of trigger and step as it was sent', async () => {
    const steps = [
      {
        id: 'which',
        type: 'branch',
        branches: [{ when: { event: 'order_placed', where: { 'properties.total': { gte: 10 } }, in_last: 'P30D' }, to: 'hi' }],
        else: 'hook',
      },
      { id: 'hi', ...mail, preview_text: 'Look', reply_to: 'me@example.com', text: 'Hi', track: { opens: false }, next: 'set' },
      { id: 'set', type: 'update_contact', set: { attributes: { plan: 'pro' }, company: null }, next: 'gone' },
      { id: 'gone', type: 'remove_tag', tag: 'new', next: 'hook' },
      {
        id: 'hook',
        type: 'webhook',
        url: 'https://hooks.example.com/in?x=1',
        method: 'PUT',
        headers: { 'X-Mine': 'a' },
        body: { $set: { 'a.b': '{{ contact.id }} {{ data.order }}' } },
        next: 'wait',
      },
      { id: 'wait', type: 'delay', until: '2030-01-01T00:00:00+01:00', next: 'end' },
      { id: 'end', type: 'exit', reason: 'done' },
    ];
    for (const trigger of [
      { type: 'segment_left', segment_id: 'segment_01h455vb4pex5vsknk084sn02q' },
      { type: 'contact_created' },
      { type: 'contact_updated', fields: ['tags', 'attributes.plan'] },
      { type: 'event', name: 'order_placed', where: { 'properties.total': { gte: 10 } } },
    ]) {
      const response = await account.post('/v2/workflows', { name: 'All', trigger, steps, entry: { policy: 'once' }, on_error: 'exit' });
      assert.equal(response.status, 201, response.text);
      const read = (await account.get(`/v2/workflows/${response.data.id}`)).data;
      assert.deepEqual([read.trigger, read.steps, read.entry, read.on_error], [trigger, steps, { policy: 'once' }, 'exit']);
    }
  });

  const wait = { id: 'wait', type: 'delay', for: 'P1D' };
  const tag = { id: 'tag', type: 'add_tag', tag: 'x' };
  const hook = { id: 'hook', type: 'webhook', url: 'https://example.com' };
  const refused: [string, object, string, string | RegExp][] = [
    ['a duplicate step id', { steps: [{ ...wait, next: 'wait' }, wait] }, '/steps/1/id', 'duplicate_step'],
    ['a target that does not exist', { steps: [{ ...wait, next: 'nowhere' }] }, '/steps/0/next', 'unknown_step'],
    [
      'a path of a split that does not exist',
      {
        steps: [
          {
            id: 's',
            type: 'split',
            paths: [
              { weight: 1, to: null },
              { weight: 1, to: 'x' },
            ],
          },
        ],
      },
      '/steps/0/paths/1/to',
      'unknown_step',
    ],
    ['a step that nothing leads to', { steps: [wait, tag] }, '/steps/1/id', 'unreachable_step'],
    ['a step that leads to itself', { steps: [{ ...tag, next: 'tag' }] }, '/steps/0/id', 'endless_loop'],
    [
      'a loop whose only delay has `until`',
      {
        steps: [
          { id: 'until', type: 'delay', until: '2030-01-01T00:00:00Z', next: 'tag' },
          { ...tag, next: 'until' },
        ],
      },
      '/steps/0/id',
      'endless_loop',
    ],
    [
      'a loop of branches',
      {
        steps: [wait, { id: 'b', type: 'branch', branches: [{ when: { field: 'tags', op: 'exists' }, to: 'b' }] }].map((step, index) =>
          index ? step : { ...wait, next: 'b' },
        ),
      },
      '/steps/1/id',
      'endless_loop',
    ],
    [
      'a template field that no contact has',
      { steps: [{ id: 'hi', ...mail, html: '{% if contact.frist_name %}x{% endif %}' }] },
      '/steps/0/html',
      'unknown_field',
    ],
    [
      'a placeholder that webhooks do not have',
      { steps: [{ ...hook, body: ['{{ contact.shoe_size }}'] }] },
      '/steps/0/body',
      'unknown_field',
    ],
    ['a webhook to this machine', { steps: [{ ...hook, url: 'http://127.0.0.1:9/' }] }, '/steps/0/url', 'invalid_url'],
    [
      'a webhook to cloud metadata, written as a number',
      { steps: [{ ...hook, url: 'http://2852039166/latest' }] },
      '/steps/0/url',
      'invalid_url',
    ],
    [
      'a webhook with a custom signature header',
      { steps: [{ ...hook, headers: { 'Webhook-Signature': 'v1,x' } }] },
      '/steps/0/headers/Webhook-Signature',
      /./,
    ],
    ['an invalid duration', { steps: [{ ...wait, for: 'P1Y' }] }, '/steps/0/for', /./],
    ['a delay of zero', { steps: [{ ...wait, for: 'PT0S' }] }, '/steps/0/for', /./],
    ['a delay of more than 400 days', { steps: [{ ...wait, for: 'P401D' }] }, '/steps/0/for', /./],
    ['a delay with both `for` and `until`', { steps: [{ ...wait, until: '2030-01-01T00:00:00Z' }] }, '/steps/0/for', /./],
    ['an unknown step type', { steps: [{ id: 'x', type: 'teleport' }] }, '/steps/0/type', /./],
    ['an unknown field of a step', { steps: [{ ...wait, nxet: 'tag' }] }, '/steps/0/nxet', /./],
    ['an empty list of steps', { steps: [] }, '/steps', /./],
    ['more than 100 steps', { steps: Array.from({ length: 101 }, (_, index) => ({ ...tag, id: `s${index}` })) }, '/steps', /./],
    [
      'an invalid rule',
      { steps: [{ id: 'b', type: 'branch', branches: [{ when: { field: 'shoe' }, to: 'b' }] }] },
      '/steps/0/branches/0/when/op',
      /./,
    ],
    ['a contact field that cannot be set', { steps: [{ id: 'u', type: 'update_contact', set: { id: 'x' } }] }, '/steps/0/set', /./],
    [
      'an `until` after the last possible date',
      { steps: [{ id: 'u', type: 'delay', until: '9999-12-31T23:59:59-23:59' }] },
      '/steps/0/until',
      'out_of_range',
    ],
    ['an `until` in 9999', { steps: [{ id: 'u', type: 'delay', until: '9999-12-31T23:59:59Z' }] }, '/steps/0/until', 'out_of_range'],
    ['an invalid segment id', { trigger: { type: 'segment_entered', segment_id: 'vip' } }, '/trigger/segment_id', /./],
    ['an unknown trigger', { trigger: { type: 'moon' } }, '/trigger/type', /./],
  ];
  for (const [what, change, path, code] of refused) {
    await t.test(`rejects ${what} and returns its path`, async () => {
      const response = await account.post('/v2/workflows', { ...smallest, ...change });
      assert.deepEqual([response.status, response.error?.code], [400, 'VALIDATION_ERROR'], response.text);
      const details: { path: string; code: string }[] = response.error.details;
      const [first] = details;
      assert.equal(first?.path, path, response.text);
      if (typeof code === 'string') assert.equal(first?.code, code);
    });
  }

  await t.test('accepts a loop with a lasting delay', async () => {
    const steps = [
      { ...wait, next: 'tag' },
      { ...tag, next: 'wait' },
    ];
    assert.equal((await account.post('/v2/workflows', { ...smallest, steps })).status, 201);
  });

  await t.test('returns the first response to a retry', async () => {
    const retry = { 'idempotency-key': 'k1' };
    const [first, second] = await Promise.all([
      account.post('/v2/workflows', smallest, retry),
      account.post('/v2/workflows', smallest, retry),
    ]);
    assert.deepEqual([first.status, first.data], [201, second.data]);
    assert.equal((await account.get('/v2/workflows?include=total_count&limit=1')).status, 200);
  });
});
