import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowStep } from '../workflows.ts';
import { capturedTags } from './captured-tags.ts';

test('a step is offered only the values that earlier webhooks capture', () => {
  const hook = { type: 'webhook', url: 'https://example.com/', method: 'POST', headers: {} } as const;
  const steps: WorkflowStep[] = [
    { id: 'which', type: 'split', paths: ['score', 'wait'].map((to) => ({ weight: 1, to })) },
    { id: 'score', ...hook, capture: { value: '/score', plan: '/plan' }, next: 'tag' },
    { id: 'wait', type: 'delay', for: 'P1D', next: 'after' },
    { id: 'tag', type: 'add_tag', tag: 'x', next: 'after' },
    { id: 'after', ...hook, capture: { late: '/late' } },
  ];
  const score = ['{{ responses.score.value }}', '{{ responses.score.plan }}'];
  assert.deepEqual(
    ['which', 'score', 'wait', 'tag', 'after'].map((id) => capturedTags({ steps }, id)),
    [[], [], [], score, score],
  );
});
