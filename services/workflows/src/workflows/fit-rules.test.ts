import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeTypesOf } from '@mp/contracts/requests/contacts';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('the rules of branches are checked against the types of the account’s attributes', async (t) => {
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app);
  const branching = (...rules: object[]) => [
    { id: 'which', type: 'branch', branches: rules.map((when) => ({ when, to: 'end' })), else: 'end' },
    { id: 'end', type: 'exit' },
  ];
  const rulesOf = (data: { steps: { branches: { when: object }[] }[] }) => data.steps[0]?.branches.map(({ when }) => when);
  const create = (steps: object[]) => account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
  const seats = (value: unknown) => ({ field: 'attributes.seats', op: 'eq', value });
  const zip = (value: unknown) => ({ field: 'attributes.zip', op: 'eq', value });

  const early = await create(branching(seats('many')));
  assert.equal(early.status, 201, 'accepted unchanged while the types are unknown');

  const requests: number[] = [];
  await parts.broker.reply(AttributeTypesOf, async ({ keys }) => {
    requests.push(keys.length);
    return { types: Object.fromEntries([['zip', 'string'] as const, ['seats', 'number'] as const].filter(([key]) => keys.includes(key))) };
  });

  await t.test('a value is converted to the type of the attribute, and the response shows it', async () => {
    const created = await create(branching(zip(10_115), { all: [seats('5')] }));
    assert.deepEqual(rulesOf(created.data), [zip('10115'), { all: [seats(5)] }], created.text);
    const updated = await account.put(`/v2/workflows/${created.data.id}`, { steps: branching(seats('6')) });
    assert.deepEqual(rulesOf(updated.data), [seats(6)]);
  });

  await t.test('a value that can never match is rejected with its path and the type of the attribute', async () => {
    const steps = branching(zip('x'), { all: [zip('x'), { not: seats('many') }] });
    for (const response of [await create(steps), await account.put(`/v2/workflows/${early.data.id}`, { steps })]) {
      const [detail] = response.error?.details ?? [];
      assert.deepEqual([response.status, detail?.code], [400, 'wrong_type'], response.text);
      assert.equal(detail.path, '/steps/0/branches/1/when/all/1/not/value');
      assert.match(response.error.message, /attributes\.seats is a number/);
    }
  });

  await t.test('the response of GET can be sent back, whatever type the attribute has by now', async () => {
    const { data } = await account.get(`/v2/workflows/${early.data.id}`);
    const put = await account.put(`/v2/workflows/${early.data.id}`, data);
    assert.deepEqual([put.status, put.data.version], [200, 1], put.text);
  });

  await t.test('a change of the trigger checks its rule, and not the steps as they were', async () => {
    const put = (when: object) =>
      account.put(`/v2/workflows/${early.data.id}`, { trigger: { type: 'segment_entered', segment_id: newId('segment'), when } });
    const changed = await put(seats('7'));
    assert.deepEqual([changed.status, changed.data?.trigger.when], [200, seats(7)], changed.text);
    const wrong = await put(seats('many'));
    assert.deepEqual([wrong.status, wrong.error?.details[0].path], [400, '/trigger/when/value'], wrong.text);
  });

  await t.test('many more attributes than fit into one request are checked', async () => {
    requests.length = 0;
    const any = (from: number) => ({
      any: Array.from({ length: 15 }, (_, index) => ({ field: `attributes.a${from + index}`, op: 'eq', value: 1 })),
    });
    const created = await create(branching(...Array.from({ length: 10 }, (_, index) => any(15 * index)), seats(1)));
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(requests, [100, 51]);
  });
});
