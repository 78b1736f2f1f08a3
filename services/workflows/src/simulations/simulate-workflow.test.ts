import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { arbitraryDefinition } from '../../test/arbitraries.ts';
import { config, fakeServices, knownContact, mail, startedRun } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

const vip = { field: 'tags', op: 'contains', value: 'vip' };
const workflow = {
  name: 'Welcome',
  trigger: { type: 'manual' },
  status: 'draft',
  steps: [
    { id: 'hi', ...mail, next: 'wait' },
    { id: 'wait', type: 'delay', for: 'P3D', next: 'which' },
    { id: 'which', type: 'branch', branches: [{ when: vip, to: 'tag' }], else: 'hook' },
    { id: 'tag', type: 'add_tag', tag: 'gold', next: 'end' },
    { id: 'hook', type: 'webhook', url: 'https://example.com/in', next: 'end' },
    { id: 'end', type: 'exit' },
  ],
};

test('POST /v2/workflows/:id/simulate, GET /analytics and /webhook-secret', async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app, { permission: 'admin' });
  const create = async (client: Client) => `/v2/workflows/${(await client.post('/v2/workflows', workflow)).data.id}`;
  const path = await create(account);
  const simulate = (body: object) => account.post(`${path}/simulate`, body);
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'workflows:write',
    url: async (client) => `${await create(client)}/simulate`,
    body: {},
  });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'workflows:read', url: async (client) => `${await create(client)}/analytics` });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'settings:read', url: () => '/v2/workflows/webhook-secret' });

  await t.test('plays a draft in an instant and reports what would happen when', async () => {
    const from = '2026-03-01T09:00:00.000Z';
    const { status, data } = await simulate({ from, branches: { which: 0 } });
    const later = '2026-03-04T09:00:00.000Z';
    assert.equal(status, 200);
    assert.deepEqual([data.state, data.reason, data.ended_at], ['exited', 'exit_step', later]);
    assert.deepEqual(
      data.messages.map((message: { at: string; step_id: string; subject: string }) => [message.at, message.step_id, message.subject]),
      [[from, 'hi', 'Hi']],
    );
    assert.deepEqual(data.changes, [{ at: later, step_id: 'tag', change: { type: 'add_tag', tag: 'gold' } }]);
    assert.deepEqual(data.webhooks, []);
    assert.deepEqual(
      data.log.map(({ step_id, event }: { step_id: string | null; event: string }) => `${step_id ?? 'run'} ${event}`),
      [
        'run started',
        'hi requested',
        'hi done',
        'wait waiting',
        'wait done',
        'which waiting',
        'which taken',
        'tag requested',
        'tag done',
        'end ended',
      ],
    );
  });

  await t.test('stops at the end of `advance`, and can refuse a step', async () => {
    const { data } = await simulate({ advance: 'P1D', refused: ['hi'] });
    assert.deepEqual([data.state, data.step_id, data.ended_at], ['waiting', 'wait', null]);
    assert.match(data.log[2].text, /Refused in this simulation/);
    assert.equal((await simulate({})).data.webhooks.length, 1, 'else without a contact');
    assert.equal((await simulate({ refused: ['nowhere'] })).error.details[0].code, 'unknown_step');
  });

  const contact = (members: object = {}) => {
    const id = newId('contact');
    play.contacts.set(id, { id, email: `${id}@example.com`, revision: 3, ...members });
    return id;
  };
  const draft = async (steps: object[]) => {
    const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, status: 'draft', steps });
    assert.equal(response.status, 201, response.text);
    return (body: object) => account.post(`/v2/workflows/${response.data.id}/simulate`, body);
  };

  await t.test('evaluates rules for the current contact, and leaves no trace', async () => {
    const [is, isNot] = [contact({ tags: ['vip'] }), contact()];
    assert.equal((await simulate({ contact_id: is })).data.changes.length, 1);
    assert.equal((await simulate({ contact_id: isNot })).data.changes.length, 0);
    assert.equal((await simulate({ contact_id: newId('contact') })).status, 400);
    assert.deepEqual([await parts.mongo.db.collection('runs').countDocuments(), play.requests], [0, []]);
  });

  await t.test('has segments evaluate events and memberships on no older revision than contacts has', async () => {
    const event = { event: 'order_placed' };
    const run = await draft([
      { id: 'which', type: 'branch', branches: [{ when: { all: [vip, { not: event }] }, to: 'end' }], else: 'other' },
      { id: 'end', type: 'exit', reason: 'end' },
      { id: 'other', type: 'exit', reason: 'other' },
    ]);
    const id = contact({ tags: ['vip'] });
    const requests: unknown[] = [];
    play.rule = ({ rule, at_least_revision }) => {
      requests.push([rule, at_least_revision]);
      return { known: true, matches: true };
    };
    assert.equal((await run({ contact_id: id })).data.reason, 'end');
    assert.deepEqual(requests, [[{ not: event }, 3]]);
    assert.equal((await run({ contact_id: contact() })).data.reason, 'other', 'segments gets no request that does not affect the result');
  });

  await t.test('waits a moment for segments to apply the latest change of the contact, and otherwise says what it lacks', async () => {
    const event = { event: 'order_placed' };
    const run = await draft([
      { id: 'which', type: 'branch', branches: [{ when: event, to: 'end' }], else: 'other' },
      { id: 'end', type: 'exit', reason: 'end' },
      { id: 'other', type: 'exit', reason: 'other' },
    ]);
    let requests = 0;
    play.rule = () => {
      requests += 1;
      return { known: requests > 2, matches: true };
    };
    const late = await run({ contact_id: contact() });
    assert.deepEqual([late.status, late.data.reason, late.data.warnings], [200, 'end', []], late.text);

    play.rule = ({ at_least_revision }) => ({ known: at_least_revision === 0, matches: at_least_revision === 0 });
    const behind = await run({ contact_ids: [contact(), contact()] });
    assert.equal(behind.status, 200, behind.text);
    const warned = behind.data.contacts.map(({ reason, warnings }: { reason: string; warnings: { code: string }[] }) => [
      reason,
      warnings.map(({ code }) => code),
    ]);
    assert.deepEqual(warned, [
      ['end', ['segments_behind']],
      ['end', ['segments_behind']],
    ]);

    play.rule = () => ({ known: false, matches: false });
    const unless = await draft([
      { id: 'which', type: 'branch', branches: [{ when: { not: event }, to: 'end' }], else: 'other' },
      { id: 'end', type: 'exit', reason: 'never ordered' },
      { id: 'other', type: 'exit', reason: 'other' },
    ]);
    for (const [branch, reason] of [
      [run, 'other'],
      [unless, 'never ordered'],
    ] as const) {
      const unknown = await branch({ contact_id: contact() });
      assert.deepEqual(
        [unknown.status, unknown.data.reason, unknown.data.warnings[0]?.code],
        [200, reason, 'segments_behind'],
        unknown.text,
      );
    }
  });

  await t.test('renders messages for the contact', async () => {
    const run = await draft([
      { id: 'hi', ...mail, html: '<p>{{ contact.first_name }} of {{ contact.address.city }}</p>', preview_text: 'Look' },
    ]);
    const [message] = (await run({ contact_id: contact({ first_name: 'A&B' }) })).data.messages;
    assert.deepEqual([message.subject, message.preview_text, message.missing_fields], ['Hi A&B', 'Look', ['contact.address.city']]);
    assert.match(message.html, /<p>A&amp;B of <\/p>/);
    assert.match(message.text, /A&B of/);
  });

  await t.test('fails, like a live run, at a message that cannot be rendered for the contact', async () => {
    const run = await draft([
      {
        id: 'hi',
        ...mail,
        html: '{% if contact.first_name == "Eve" %}{{ "2026" | date: "%Y" | times: 2 }}{% for i in (1..100000) %}<ul><li>{% endfor %}{% endif %}',
      },
    ]);
    const wrong = (await run({ contact_id: contact({ first_name: 'Eve' }) })).data;
    assert.deepEqual([wrong.state, wrong.step_id, wrong.messages], ['failed', 'hi', []]);
    assert.match(wrong.reason, /cannot be rendered for this contact: \/html: /);
    assert.equal((await run({ contact_id: contact({ first_name: 'Ada' }) })).data.state, 'completed');
  });

  await t.test('shows earlier changes to later branches and messages', async () => {
    const whenever = (rule: object, to: string, otherwise: string) => ({ type: 'branch', branches: [{ when: rule, to }], else: otherwise });
    const run = await draft([
      { id: 'tag', type: 'add_tag', tag: 'vip', next: 'old' },
      { id: 'old', type: 'remove_tag', tag: 'old', next: 'set' },
      {
        id: 'set',
        type: 'update_contact',
        set: { first_name: 'Grace', address: { city: 'Berlin' }, attributes: { plan: 'pro', trial: null }, company: null },
        next: 'which',
      },
      {
        id: 'which',
        ...whenever(
          { all: [vip, { field: 'attributes.plan', op: 'eq', value: 'pro' }, { field: 'attributes.trial', op: 'missing' }] },
          'then',
          'no',
        ),
      },
      {
        id: 'then',
        ...whenever(
          {
            any: [
              { field: 'tags', op: 'contains', value: 'old' },
              { field: 'company', op: 'exists' },
            ],
          },
          'no',
          'hi',
        ),
      },
      {
        id: 'hi',
        ...mail,
        html: '{{ contact.first_name }} {{ contact.address.city }} {{ contact.attributes.plan }} {{ contact.tags | join: "," }}',
      },
      { id: 'no', type: 'exit', reason: 'not seen' },
    ]);
    const id = contact({ first_name: 'Ada', tags: ['old', 'new'], attributes: { trial: true, n: 1 }, company: 'Acme' });
    const { data } = await run({ contact_id: id });
    assert.equal(data.state, 'completed', data.reason);
    assert.equal(data.messages[0].subject, 'Hi Grace');
    assert.match(data.messages[0].html, /Grace Berlin pro new,vip/);
    assert.equal(data.changes.length, 3);
  });

  await t.test('reports a change that contacts would refuse', async () => {
    const run = await draft([{ id: 'set', type: 'update_contact', set: { tags: 'vip' } }]);
    const { data } = await run({ contact_id: contact() });
    assert.deepEqual([data.state, data.changes], ['completed', []]);
    assert.match(data.log.at(-2).text, /tags/);
  });

  await t.test('rejects a start time out of range', async () => {
    for (const from of ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59', '2200-01-01T00:00:00Z', '1969-12-31T00:00:00Z']) {
      const response = await simulate({ from });
      assert.deepEqual([response.status, response.error?.details[0].path], [400, '/from'], from);
    }
    assert.equal((await simulate({ from: '2199-12-31T00:00:00Z' })).status, 200);
  });

  await t.test('runs random workflows to their end', async () => {
    // No campaigns service has templates here.
    const definitions = arbitraryDefinition({ loops: false }).filter(({ steps }) => steps.every((step) => !('template_id' in step)));
    await fc.assert(
      fc.asyncProperty(definitions, async (definition) => {
        const created = await account.post('/v2/workflows', { name: 'Random', status: 'draft', ...definition });
        assert.equal(created.status, 201, created.text);
        const { data } = await account.post(`/v2/workflows/${created.data.id}/simulate`);
        assert.notEqual(data.ended_at, null);
      }),
      { numRuns: 15 },
    );
  });

  await t.test('counts the runs that entered, and their outcomes at each step', async () => {
    const { workflow: sleeping, runId } = await startedRun(parts, account);
    const more = { contact_id: await knownContact(parts, account.accountId) };
    await account.post(`/v2/workflows/${sleeping.id}/trigger`, more);
    await account.post(`/v2/workflows/runs/${runId}/cancel`);
    const { data } = await account.get(`/v2/workflows/${sleeping.id}/analytics`);
    assert.deepEqual(data.counts, { entered: 2, open: 1, completed: 0, converted: 0, exited: 0, failed: 0, cancelled: 1 });
    const none = {
      ...{ entered: 0, done: 0, skipped: 0, failed: 0, exited: 0, converted: 0, waiting: 0, next: [] },
      ...{ variants: [], seconds_in_step: null, seconds_to_goal: null },
    };
    assert.deepEqual(data.steps, [
      { ...none, step_id: 'wait', entered: 2, exited: 1, waiting: 1 },
      { ...none, step_id: 'tag' },
    ]);
  });

  await t.test('returns the webhook secret to keys that can read settings, a different one for each account', async () => {
    const secret = async (client: Client) => (await client.as({ permission: 'admin' }).get('/v2/workflows/webhook-secret')).data.secret;
    assert.match(await secret(account), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(await secret(account), await secret(testClient(app)));
  });
});
