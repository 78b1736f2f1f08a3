import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { WebhookBatch } from '@mp/contracts/webhooks/webhook-batch';
import { payloadOf } from '@mp/contracts/webhooks/webhook-event';
import { webhookOperations } from './webhook-operations.ts';

/** Receivers and filters depend on these names. */
const promised = [
  ...['created', 'updated', 'deleted', 'erased', 'merged', 'consent_changed'].map((name) => `contact.${name}`),
  ...['segment.entered', 'segment.left'],
  ...['scheduled', 'problem_found', 'started', 'completed', 'paused', 'failed'].map((name) => `campaign.${name}`),
  ...['sent', 'delivered', 'deferred', 'bounced', 'refused', 'complained', 'opened', 'clicked', 'unsubscribed', 'failed'].map(
    (name) => `message.${name}`,
  ),
  ...['visitor.identified', 'event.tracked'],
  ...['run_started', 'run_completed', 'run_failed'].map((name) => `workflow.${name}`),
  ...['submitted', 'confirmed', 'flooded'].map((name) => `form.${name}`),
  ...['import.completed', 'export.completed', 'api_key.created', 'api_key.revoked', 'audit_entry.created'],
  ...['requested', 'withdrawn'].flatMap((what) => [`campaign.approval_${what}`, `workflow.approval_${what}`]),
  ...['campaign.approved', 'campaign.rejected', 'workflow.approved', 'workflow.rejected'],
];

test('every documented event type is in the section webhooks, with an example that its schema accepts unchanged', () => {
  const { webhooks } = webhookOperations();
  assert.deepEqual(Object.keys(webhooks).sort(), [...promised, 'batch'].sort());
  const examples = new Map(
    Object.entries(webhooks).map(([type, { post }]) => [type, post.requestBody.content['application/json'].example]),
  );
  for (const event of webhookEvents) {
    const example = JSON.parse(JSON.stringify(examples.get(event.type)));
    assert.deepEqual(JSON.parse(JSON.stringify(payloadOf(event).parse(example))), example, event.type);
  }
  const batch = JSON.parse(JSON.stringify(examples.get('batch')));
  assert.deepEqual(JSON.parse(JSON.stringify(WebhookBatch.parse(batch))), batch);
  assert.ok(batch.events.length > 1);
});
