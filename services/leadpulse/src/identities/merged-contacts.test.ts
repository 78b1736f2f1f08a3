import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { ContactCreated, ContactDeleted } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { startIdentities } from '../../test/start-identities.ts';

test('visitors of merged contacts', async (t) => {
  const { parts, app, received, known, merges, publish, track, visitorOf } = await startIdentities(t);

  await t.test(
    'the ID of a merged contact resolves to the survivor, with or without the merge event, until the merge is undone',
    async () => {
      const account = testClient(app);
      const [merged, into] = [aContact({ email: 'was@example.com' }), aContact({ email: 'stays@example.com' })];
      const unresolved = newId('contact');
      known.push(into);
      merges.push({ id: unresolved, into: into.id });
      const contactOf = async (id: string) => (await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id;
      assert.equal(await contactOf(await track(account, { event: 'seen', visitor_id: 'v25', contact_id: unresolved })), into.id);
      for (const contact of [merged, into]) await publish(ContactCreated, account.accountId, { contact });
      await track(account, { event: 'seen', visitor_id: 'v26', contact_id: merged.id });
      await visitorOf(account, 'v26', ({ contact_id }) => contact_id === merged.id);
      // An event that is attributed after the merge is stored with the survivor.
      const stored = async () => (await account.get(`/v2/leadpulse/events?contact_id=${merged.id}`)).data.items;
      await eventually(async () => (await stored()).length === 1);
      await publish(ContactDeleted, account.accountId, { contact_id: merged.id, revision: 2, merged_into: into.id });
      const rows = parts.mongo.db.collection<{ _id: string; deleted?: true }>('identities');
      await eventually(async () => (await rows.findOne({ _id: `${account.accountId} contact:${merged.id}` }))?.deleted === true);
      const late = await track(account, { event: 'seen', visitor_id: 'v27', contact_id: merged.id });
      assert.equal(await contactOf(late), into.id);
      const found = (await account.get(`/v2/leadpulse/visitors?contact_id=${into.id}`)).data.items;
      assert.deepEqual(found.map(({ visitor_id }: { visitor_id: string }) => visitor_id).sort(), ['v25', 'v26', 'v27']);
      const namedInHistory = async () => {
        const history = (await account.get(`/v2/leadpulse/events?sort=time&contact_id=${into.id}`)).data.items;
        return new Set(history.map(({ contact_id }: { contact_id: string }) => contact_id));
      };
      await eventually(async () => isDeepStrictEqual(await namedInHistory(), new Set([into.id, merged.id])));
      const own = await track(account, { event: 'seen', visitor_id: 'v26', contact_id: into.id });
      assert.equal(await contactOf(own), into.id);
      const visitor = await visitorOf(account, 'v26', ({ events }) => events === 2);
      assert.deepEqual([visitor.contact_id, visitor.conflicts], [merged.id, []], 'naming the survivor is not a conflict');
      await publish(ContactCreated, account.accountId, { contact: { ...merged, revision: 3 } });
      await visitorOf(account, 'v27', ({ contact_id }) => contact_id === merged.id);
      const ids = (await stored()).map(({ id }: { id: string }) => id);
      assert.ok(ids.includes(late), 'the event that named it after the merge is its own again');
      assert.equal((await visitorOf(account, 'v25', () => true)).contact_id, into.id);
    },
  );

  await t.test('reports count merged contacts as one person, the survivor, until the merge is undone', async () => {
    const account = testClient(app);
    const [phone, laptop, desk] = ['phone', 'laptop', 'desk'].map((name) => aContact({ email: `${name}@example.com` }));
    assert.ok(phone && laptop && desk);
    for (const contact of [phone, laptop, desk]) await publish(ContactCreated, account.accountId, { contact });
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    await track(account, { event: 'visit', visitor_id: 'on-phone', contact_id: phone.id, timestamp: ago(9) });
    await track(account, { event: 'purchase', visitor_id: 'on-laptop', contact_id: laptop.id, timestamp: ago(8) });
    await track(account, { event: 'visit', visitor_id: 'stranger', timestamp: ago(7) });
    for (const [visitor, { id }] of [
      ['on-phone', phone],
      ['on-laptop', laptop],
    ] as const)
      await visitorOf(account, visitor, ({ contact_id }) => contact_id === id);
    await visitorOf(account, 'stranger', ({ events }) => events === 1);
    const steps = [{ event: 'visit' }, { event: 'purchase' }];
    const reported = async () => {
      const [funnel, retention, paths, people] = await Promise.all([
        account.post('/v2/leadpulse/funnels', { steps }),
        account.post('/v2/leadpulse/retention', { first: steps[0], returning: steps[1], interval: 'month' }),
        account.post('/v2/leadpulse/paths', { nodes: 'events' }),
        account.post('/v2/leadpulse/funnels/people', { steps, step: 2 }),
      ]);
      const returned = retention.data.cohorts.flatMap(({ periods }: { periods: { returned: { numerator: number } }[] }) => periods);
      return {
        funnel: funnel.data.steps.map(({ people: count }: { people: number }) => count),
        returned: returned.reduce((sum: number, period: { returned: { numerator: number } }) => sum + period.returned.numerator, 0),
        paths: paths.data.sessions,
        people: people.data.items.map(({ contact_id }: { contact_id: string }) => contact_id),
      };
    };
    const apart = { funnel: [2, 0], returned: 0, paths: 3, people: [] };
    const together = (id: string) => ({ funnel: [2, 1], returned: 1, paths: 2, people: [id] });
    assert.deepEqual(await reported(), apart);
    const merge = (contact_id: string, merged_into: string) =>
      publish(ContactDeleted, account.accountId, { contact_id, revision: 2, merged_into });
    await merge(phone.id, laptop.id);
    await eventually(async () => isDeepStrictEqual(await reported(), together(laptop.id)));
    await merge(laptop.id, desk.id);
    await eventually(async () => isDeepStrictEqual(await reported(), together(desk.id)));
    await publish(ContactCreated, account.accountId, { contact: { ...phone, revision: 3 } });
    await eventually(async () => isDeepStrictEqual(await reported(), apart));
  });

  await t.test('a merged contact keeps its visitors until the merge is undone, and only a higher revision restores it', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'merged@example.com' });
    await publish(ContactCreated, account.accountId, { contact });
    await track(account, { event: 'seen', visitor_id: 'v11', email: 'merged@example.com' });
    await visitorOf(account, 'v11', ({ contact_id }) => contact_id === contact.id);
    const gone = { contact_id: contact.id, revision: 2, merged_into: newId('contact') };
    await publish(ContactDeleted, account.accountId, gone);
    await publish(ContactCreated, account.accountId, { contact });
    const row = () =>
      parts.mongo.db
        .collection<{ _id: string; deleted?: true }>('identities')
        .findOne({ _id: `${account.accountId} contact:${contact.id}` });
    await eventually(async () => (await row())?.deleted === true);
    await track(account, { event: 'seen', visitor_id: 'v12', email: 'merged@example.com' });
    assert.equal(
      (await visitorOf(account, 'v12', ({ events }) => events === 1)).contact_id,
      null,
      'the identifier resolves to no contact now',
    );
    await publish(ContactCreated, account.accountId, { contact: { ...contact, revision: 3 } });
    await visitorOf(account, 'v12', ({ contact_id }) => contact_id === contact.id);
    assert.equal((await visitorOf(account, 'v11', () => true)).contact_id, contact.id);
    await publish(ContactDeleted, account.accountId, gone);
    await track(account, { event: 'seen', visitor_id: 'v13', contact_id: contact.id });
    await visitorOf(account, 'v13', ({ contact_id }) => contact_id === contact.id);
    await publish(ContactDeleted, account.accountId, { contact_id: newId('contact'), revision: 2, merged_ids: [contact.id] });
    await visitorOf(account, 'v11', ({ contact_id }) => contact_id === null);
  });

  await t.test('publishes events of a merged contact as events of the survivor, until the merge is undone', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'part@example.com' });
    const [into, intoThat] = [newId('contact'), newId('contact')];
    const did = async () => {
      const id = await track(account, { event: 'seen', visitor_id: 'v16' });
      return (await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id;
    };
    const merged = (contact_id: string, revision: number, merged_into: string) =>
      publish(ContactDeleted, account.accountId, { contact_id, revision, merged_into });
    await publish(ContactCreated, account.accountId, { contact });
    await track(account, { event: 'seen', visitor_id: 'v16', email: 'part@example.com' });
    await visitorOf(account, 'v16', ({ contact_id }) => contact_id === contact.id);
    assert.equal(await did(), contact.id);
    await merged(contact.id, 2, into);
    await eventually(async () => (await did()) === into);
    await merged(into, 5, intoThat);
    await eventually(async () => (await did()) === intoThat);
    assert.equal((await visitorOf(account, 'v16', () => true)).contact_id, contact.id, 'the stored visitor keeps its contact');
    await publish(ContactCreated, account.accountId, { contact: { ...contact, revision: 3 } });
    await eventually(async () => (await did()) === contact.id);
  });
});
