import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowStep } from '../workflows.ts';
import { runFields } from './run-fields.ts';

const steps: WorkflowStep[] = [
  {
    ...{ id: 'score', type: 'webhook', url: 'https://example.com/', method: 'POST', headers: {} },
    capture: { value: '/score' },
    next: 'which',
  },
  { id: 'which', type: 'branch', branches: [{ data: { 'data.properties.total': { gte: 100 }, 'responses.score.value': 1 }, to: 'mail' }] },
  { id: 'mail', type: 'send', subject: 'Hi', html: 'Hi', from: { email: 'news@example.com' } },
];
const namesOf = (...args: Parameters<typeof runFields>) => runFields(...args).map(({ field }) => field);

test('an email is offered the data that its workflow tests, the properties of its event, and what earlier webhooks capture', () => {
  const trigger = {
    type: 'event' as const,
    name: 'order_placed',
    where: { 'properties.plan': 'pro', 'context.path': '/checkout' },
  };
  assert.deepEqual(namesOf({ trigger, steps }, 'mail', ['total', 'currency']), [
    ...['data.properties.plan', 'data.properties.total', 'data.properties.currency'],
    'responses.score.value',
  ]);
  assert.deepEqual(namesOf({ trigger: { type: 'manual' }, steps, entry: { policy: 'after_exit', key: 'data.order_id' } }, 'score', []), [
    'data.properties.total',
    'data.order_id',
  ]);
});

test('names that Liquid cannot read are left out', () => {
  assert.deepEqual(namesOf({ trigger: { type: 'event', name: 'order_placed' }, steps: [] }, 'mail', ['order number', '1st', 'size']), [
    'data.properties.size',
  ]);
});
