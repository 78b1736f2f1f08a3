import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, fakeServices, mail } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

const isLarge = { 'data.properties.total': { gte: 100 } };

/** An abandoned cart: reminds after an hour, unless the contact orders, and tries two ways to win the order. */
const definition = {
  trigger: { type: 'event', name: 'added_to_cart' },
  exit_when: [{ type: 'unsubscribed' }],
  quiet_hours: { from: '21:00', to: '08:00' },
  steps: [
    { id: 'wait', type: 'wait_until', any: [{ type: 'event', name: 'order_placed' }], timeout: 'PT1H', next: null, on_timeout: 'value' },
    { id: 'value', type: 'branch', branches: [{ data: isLarge, to: 'offer' }], else: 'remind' },
    { id: 'offer', ...mail, subject: '10 % off', next: 'click' },
    { id: 'remind', ...mail, next: 'click' },
    { id: 'click', type: 'wait_until', any: [{ type: 'message_clicked' }], timeout: 'P1D', next: 'goal', on_timeout: 'ab' },
    {
      id: 'ab',
      type: 'split',
      paths: [
        { weight: 50, to: 'call' },
        { weight: 50, to: 'goal' },
      ],
    },
    { id: 'call', type: 'add_tag', tag: 'call', next: 'goal' },
    { id: 'goal', type: 'goal', any: [{ type: 'event', name: 'order_placed' }], within: 'P7D', next: 'lost' },
    { id: 'lost', type: 'add_tag', tag: 'lost' },
  ],
};

test('POST /v2/workflows/simulate', async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app);
  await guaranteeRoute(t, app, { method: 'POST', scope: 'workflows:write', url: () => '/v2/workflows/simulate', body: { definition } });
  const contact = (timezone: string) => {
    const id = newId('contact');
    play.contacts.set(id, { id, email: `${id}@example.com`, timezone, first_name: 'Ada' });
    return id;
  };
  const simulate = (body: object) => account.post('/v2/workflows/simulate', { definition, from: '2026-03-02T19:30:00Z', ...body });

  await t.test('plays a whole journey for several contacts with events, quiet hours and expectations', async () => {
    const [berlin, tokyo, buyer] = [contact('Europe/Berlin'), contact('Asia/Tokyo'), contact('UTC')];
    const { status, data, text } = await simulate({
      contact_ids: [berlin, tokyo, buyer],
      data: { properties: { total: 120 } },
      advance: 'P30D',
      events: [
        { type: 'event', name: 'order_placed', after: 'PT30M', contact_id: buyer },
        { type: 'message_clicked', step_id: 'offer', after: 'PT20H', contact_id: berlin },
        { type: 'event', name: 'order_placed', after: 'P3D', contact_id: berlin },
      ],
      expect: [
        { contact_id: berlin, step_id: 'offer', state: 'converted', reason: 'goal' },
        { contact_id: tokyo, step_id: 'lost', state: 'completed' },
        { contact_id: buyer, step_id: 'offer', passes: false },
        { step_id: 'lost', passes: false },
        { contact_id: tokyo, state: 'converted' },
      ],
    });
    assert.equal(status, 200, text);
    const [one, other, third] = data.contacts;
    assert.equal(one.messages[0].at, '2026-03-03T07:00:00.000Z', 'at 8 in Berlin, not at 21:30');
    assert.equal(other.messages[0].at, '2026-03-02T23:00:00.000Z', 'at 8 in Tokyo, not at 5:30');
    assert.deepEqual([one.messages[0].subject, one.state, third.state, third.messages], ['10 % off', 'converted', 'converted', []]);
    assert.equal(data.passed, false);
    assert.deepEqual(
      data.unmet.map(({ index }: { index: number }) => index),
      [3, 4],
    );
    assert.match(data.unmet[1].message, /is completed, not converted/);
    assert.equal((await account.get('/v2/workflows')).data.items.length, 0, 'nothing is saved');
  });

  await t.test('takes the body of POST /v2/workflows', async () => {
    const body = { name: 'Cart', description: 'Reminds', status: 'draft', ...definition };
    assert.equal((await account.post('/v2/workflows', body)).status, 201);
    const { status, data, text } = await simulate({ definition: body });
    assert.deepEqual([status, data?.state], [200, 'completed'], text);
    const unknown = await simulate({ definition: { ...body, nmae: 'Cart' } });
    assert.deepEqual([unknown.status, unknown.error.details[0].path], [400, '/definition/nmae']);
  });

  await t.test('exits when a change of the contact matches', async () => {
    const set = { consent: { email: { status: 'unsubscribed' } } };
    const { data } = await simulate({ contact_id: contact('UTC'), events: [{ type: 'contact_updated', set, after: 'PT10M' }] });
    assert.deepEqual([data.state, data.reason, data.passed, data.contacts], ['exited', 'exit_condition', true, []]);
  });

  await t.test('rejects a definition with the path of the step and field in the request', async () => {
    const [wait, ...rest] = definition.steps;
    const rejected = async (steps: object[], more: object = {}) => {
      const response = await simulate({ definition: { ...definition, steps, ...more } });
      assert.equal(response.status, 400, response.text);
      return response.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
    };
    assert.deepEqual(await rejected([{ ...wait, on_timeout: 'nowhere' }, ...rest]), ['/definition/steps/0/on_timeout unknown_step']);
    const any = [{ type: 'field', when: { event: 'order_placed' } }];
    assert.deepEqual(await rejected([{ ...wait, any }, ...rest]), ['/definition/steps/0/any/0/when unsupported_rule']);
    assert.deepEqual(await rejected([{ ...wait, any: [{ type: 'message_clicked', step_id: 'value' }] }, ...rest]), [
      '/definition/steps/0/any/0/step_id unknown_step',
    ]);
    assert.deepEqual(await rejected([{ ...wait, timeout: '1h' }, ...rest]), ['/definition/steps/0/timeout custom']);
    assert.deepEqual(await rejected(definition.steps, { exit_when: [{ type: 'field', when: { segment: newId('segment') } }] }), [
      '/definition/exit_when/0/when unsupported_rule',
    ]);
    assert.deepEqual(await rejected(definition.steps, { quiet_hours: { from: '8 pm', to: '08:00' } }), [
      '/definition/quiet_hours/from invalid_format',
    ]);
    const misplaced = await simulate({ expect: [{ step_id: 'nowhere' }] });
    assert.deepEqual([misplaced.status, misplaced.error.details[0].code], [400, 'unknown_step']);
  });
});
