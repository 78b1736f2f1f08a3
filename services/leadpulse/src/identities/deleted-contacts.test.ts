import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactDeleted, ContactErased, ContactUpdated } from '@mp/contracts/events/contacts';
import { EventTracked, LeadpulseContactErased } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { writtenEvents } from '@mp/test-kit/written-events';
import { startIdentities } from '../../test/start-identities.ts';

test('visitors of deleted and erased contacts', async (t) => {
  const { parts, app, received, publish, track, visitorOf } = await startIdentities(t);

  await t.test('deleting a contact makes its visitors anonymous and removes its identifiers; analytics do not change', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'gone@example.com', external_id: 'crm-gone' });
    await publish(ContactCreated, account.accountId, { contact });
    await track(account, { event: 'seen', visitor_id: 'v10', email: 'gone@example.com' });
    await track(account, { event: 'seen', email: 'gone@example.com' });
    await eventually(async () => (await account.get(`/v2/leadpulse/visitors?contact_id=${contact.id}`)).data.items.length === 2);
    await publish(ContactDeleted, account.accountId, { contact_id: contact.id, revision: 2 });
    await visitorOf(account, 'v10', ({ contact_id }) => contact_id === null);
    const account_id = account.accountId;
    await eventually(async () => {
      const events = await parts.mongo.db.collection('events').find({ account_id }).toArray();
      const visitors = await parts.mongo.db.collection('visitors').find({ account_id }).toArray();
      return !/gone@example|crm-gone/.test(JSON.stringify([events, visitors]));
    });
    assert.equal((await account.get('/v2/leadpulse/analytics')).data.totals.events, 2);
    await track(account, { event: 'seen', visitor_id: 'v10', contact_id: contact.id });
    assert.equal((await visitorOf(account, 'v10', ({ events }) => events === 2)).contact_id, null, 'the contact is not restored');
  });

  await t.test(
    'an erasure removes everything under every ID and identifier of the contact, and confirms it every time it is requested',
    async () => {
      const account = testClient(app);
      const account_id = account.accountId;
      const [contact, other] = [aContact({ email: 'old@person.example' }), aContact({ email: 'twin@person.example' })];
      for (const one of [contact, other]) await publish(ContactCreated, account_id, { contact: one });
      await eventually(
        async () => (await parts.mongo.db.collection('identities').countDocuments({ account_id, contact_id: { $gt: '' } })) === 2,
      );
      const page = { url: 'https://example.com/?mail=old@person.example' };
      await track(account, { event: 'seen', visitor_id: 'v14', email: 'old@person.example', context: { page } });
      await track(account, { event: 'seen', email: 'old@person.example', properties: { note: 'verysecret' } });
      await track(account, { event: 'seen', visitor_id: 'v15', email: 'twin@person.example' });
      for (const id of ['v14', 'v15']) await visitorOf(account, id, ({ contact_id }) => contact_id !== null);
      await eventually(
        async () => (await parts.mongo.db.collection('events').countDocuments({ account_id, contact_id: contact.id })) === 2,
      );
      await publish(ContactUpdated, account_id, { contact: { ...contact, email: 'new@person.example', revision: 2 }, changed: ['email'] });
      await publish(ContactDeleted, account_id, { contact_id: other.id, revision: 2, merged_into: contact.id });
      await publish(ContactDeleted, account_id, { contact_id: contact.id, revision: 3, merged_ids: [other.id], erased: true });
      const figures = async () => {
        const { totals, series } = (await account.get('/v2/leadpulse/analytics')).data;
        return { totals, series };
      };
      const counted = await figures();
      assert.deepEqual([counted.totals.visitors, counted.totals.visitors_error], [3, 0]);
      const erasure = { erasure_id: newId('erasure'), contact_id: contact.id, merged_ids: [other.id], revision: 3 };
      for (let round = 0; round < 2; round += 1) {
        await parts.mongo.transaction({ correlationId: `erase-${round}`, causationId: null }, (tx) =>
          parts.outbox.add(tx, ContactErased, account_id, erasure),
        );
        const { data } = await received.next(LeadpulseContactErased, (event) => event.correlation_id === `erase-${round}`);
        assert.deepEqual(
          [data.erasure_id, data.contact_id, data.removed.events, data.removed.visitors],
          [erasure.erasure_id, contact.id, 3, 3],
        );
      }
      for (const name of ['events', 'visitors', 'sessions']) {
        const rows = JSON.stringify(await parts.mongo.db.collection(name).find({ account_id }).toArray());
        assert.doesNotMatch(rows, /person\.example|verysecret/, name);
      }
      const identities = JSON.stringify(await parts.mongo.db.collection('identities').find({ account_id }).toArray());
      assert.doesNotMatch(identities, /old@person/, 'an identifier that the contact had before');
      assert.deepEqual(await writtenEvents(parts.mongo.db, { accountId: account_id, subject: EventTracked.subject }), []);
      assert.deepEqual(await figures(), counted, 'analytics do not change');
      await publish(ContactUpdated, account_id, { contact: { ...contact, revision: 9 }, changed: ['tags'] });
      await track(account, { event: 'seen', visitor_id: 'v16', contact_id: contact.id });
      assert.equal((await visitorOf(account, 'v16', ({ events }) => events === 1)).contact_id, null, 'the contact is not restored');
    },
  );
});
