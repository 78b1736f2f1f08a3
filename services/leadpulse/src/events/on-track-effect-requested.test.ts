import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { buildApp } from '../app.ts';

test('an event that a workflow tracks is stored and published once per effect, for the contact', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  await testService(t, parts, buildApp, { live: true });
  await parts.broker.reply(ContactsFind, async ({ ids }) => ({ contacts: ids.map((id) => aContact({ id })), merged: [] }));
  const events = await listenToEvents(t);
  const account_id = newId('account');
  const effect = (event: string, effect_key = `${newId('run')}:1`) => ({
    ...{ effect_key, run_id: effect_key.slice(0, -2), workflow_id: newId('workflow'), contact_id: newId('contact') },
    ...{ event_id: newId('activity'), event, properties: { plan: 'pro' }, time: new Date().toISOString() },
  });
  const request = (data: ReturnType<typeof effect>) =>
    parts.broker.publish(
      TrackEffectRequested.subject,
      JSON.stringify({
        ...{ id: newId('event'), type: TrackEffectRequested.type, version: 1, time: new Date().toISOString(), account_id },
        ...{ correlation_id: 'req_12345678', causation_id: null, producer: 'test', data },
      }),
    );
  const first = effect('trial_ended');
  await request(first);
  const { data } = await events.next(EventTracked, (event) => event.data.event === 'trial_ended');
  assert.deepEqual([data.event_id, data.contact_id, data.properties, data.bot], [first.event_id, first.contact_id, { plan: 'pro' }, false]);
  await request({ ...first, event_id: newId('activity') });
  await request(effect('$reserved'));
  await request(effect('last'));
  await events.next(EventTracked, (event) => event.data.event === 'last');
  const names = await parts.mongo.db.collection<{ name: string }>('events').find({ account_id }).toArray();
  assert.deepEqual(names.map(({ name }) => name).sort(), ['last', 'trial_ended']);
});
