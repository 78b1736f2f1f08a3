import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { MessageSent } from '@mp/contracts/events/campaigns';
import { ContactCreated } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { testClient } from '@mp/test-kit/client';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { backfillAll, contactWith } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';
import { onContactChanged } from '../profiles/on-contact-changed.ts';
import { onEventTracked } from './on-event-tracked.ts';
import { onMessageActivity } from './on-message-activity.ts';

test('a hundred activities that bring their contacts into a segment cost a few commands', async (t) => {
  const parts = await testParts(t, 'segments', { monitorCommands: true });
  const { app, built } = await testService(t, parts, buildApp);
  const { accountId, ...account } = testClient(app);
  for (const [name, definition] of [
    ['Ordered', { event: 'order_placed' }],
    ['Emailed', { campaign: 'any', activity: 'sent', in_last: 'P30D' }],
  ] as const)
    assert.equal((await account.post('/v2/segments', { name, definition })).status, 201);
  const contacts = Array.from({ length: 100 }, () => contactWith());
  const entered = () => parts.mongo.db.collection('memberships').countDocuments({ account_id: accountId });
  const handlers = [...onContactChanged(built.contacts), ...onEventTracked(built), ...onMessageActivity(built)];
  const apply = (events: readonly EventEnvelope[]) => applyEvents(parts.mongo, handlers, events, { maxEvents: 200, atOnce: 1 });
  const cost = (events: readonly EventEnvelope[]) => countCommands(parts.mongo, () => apply(events));
  await apply(contacts.map((contact) => anEvent(ContactCreated, accountId, { contact })));
  await backfillAll(built);
  const at = new Date().toISOString();

  await t.test('as tracked events', async () => {
    const tracked = await cost(
      contacts.map(({ id }) =>
        anEvent(EventTracked, accountId, {
          ...{ event_id: newId('activity'), event: 'order_placed', visitor_id: 'v1', contact_id: id, time: at },
          ...{ properties: {}, value: null, bot: false },
        }),
      ),
    );
    t.diagnostic(JSON.stringify(tracked));
    assert.equal(await entered(), 100);
    assert.ok(tracked.commits <= 2 && tracked.commands <= 40 && tracked.documents <= 640, JSON.stringify(tracked));
  });

  await t.test('as emails sent', async () => {
    const ids = { campaign_id: newId('campaign'), workflow_id: null };
    const sent = await cost(
      contacts.map(({ id }) => anEvent(MessageSent, accountId, { recipient_id: newId('recipient'), contact_id: id, ...ids, at })),
    );
    t.diagnostic(JSON.stringify(sent));
    assert.equal(await entered(), 200);
    assert.ok(sent.commits <= 2 && sent.commands <= 40 && sent.documents <= 640, JSON.stringify(sent));
  });
});
