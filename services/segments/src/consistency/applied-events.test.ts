import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactErased } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { RuleEvaluated } from '@mp/contracts/requests/segments';
import { newId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { contactWith, publish } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

/** A service whose consumers do not run until they are started. */
function standingStill(parts: Parts) {
  const built = buildApp(parts);
  const start = () => {
    for (const consumer of built.consumers) consumer.start();
  };
  return { ...built, consumers: built.consumers.map((consumer) => ({ ...consumer, start: () => undefined })), start };
}

const tracked = (contact_id: string) => ({
  event_id: newId('event'),
  event: 'order_placed',
  visitor_id: null,
  contact_id,
  time: new Date().toISOString(),
  properties: {},
  value: null,
  bot: false,
});

test('a rule evaluation after an event has no known result before segments has applied the event', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, start } = await testService(t, parts, standingStill, { live: true });
  const { accountId } = testClient(app);
  const contact = contactWith();
  const created = await publish(parts, ContactCreated, accountId, { contact });
  const ordered = await publish(parts, EventTracked, accountId, tracked(contact.id));
  const request = (after_events: string[]) =>
    parts.broker.request(RuleEvaluated, {
      account_id: accountId,
      contact_id: contact.id,
      rule: { event: 'order_placed' },
      at_least_revision: 1,
      after_events,
    });

  assert.deepEqual(await request([created.id, ordered.id]), { known: false, matches: false });
  start();
  const response = await eventually(async () => {
    const reply = await request([created.id, ordered.id]);
    return reply.known && reply;
  });
  assert.deepEqual(response, { known: true, matches: true }, 'the first known result includes the event');

  await t.test('an event that segments does not handle, or that was dead-lettered, delays nothing', async () => {
    const bad = { ...tracked(contact.id), time: 'yesterday' };
    const letter = { ...ordered, id: newId('event'), data: bad };
    await parts.broker.publish(EventTracked.subject, JSON.stringify(letter), letter.id);
    await parts.broker.publish('contacts.unknown.happened.v1', JSON.stringify({ ...letter, type: 'contacts.unknown.happened' }), 'unknown');
    await eventually(async () => (await request([letter.id, newId('event')])).known);
    const foreign = await publish(parts, ContactErased, accountId, {
      erasure_id: newId('erasure'),
      contact_id: newId('contact'),
      merged_ids: [],
      revision: 1,
    });
    await eventually(async () => (await request([foreign.id])).known);
  });
});
