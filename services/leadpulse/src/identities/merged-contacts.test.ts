import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { ContactCreated, ContactDeleted } from '@mp/contracts/events/contacts';
import { EventTracked, VisitorIdentified } from '@mp/contracts/events/leadpulse';
import { type ContactId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { startIdentities } from '../../test/start-identities.ts';

test('visitors of merged contacts', async (t) => {
  const { parts, app, received, known, merges, publish, track, visitorOf } = await startIdentities(t);

  const contactOf = async (id: string) => (await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id;
  const rows = parts.mongo.db.collection<{ _id: string; deleted?: true }>('identities');
  const isMerged = (account: Client, contactId: ContactId) =>
    eventually(async () => (await rows.findOne({ _id: `${account.accountId} contact:${contactId}` }))?.deleted === true);
  const visitorsOf = async (account: Client, contactId: ContactId, filter = 'contact_id') => {
    const { items } = (await account.get(`/v2/leadpulse/visitors?${filter}=${contactId}`)).data;
    return new Set(items.map(({ visitor_id }: { visitor_id: string }) => visitor_id));
  };
  const eventsOf = async (account: Client, contactId: ContactId) => {
    const { items } = (await account.get(`/v2/leadpulse/events?sort=time&contact_id=${contactId}`)).data;
    return new Set(items.map(({ id }: { id: string }) => id));
  };

  await t.test('the ID of a merged contact means the survivor, with or without the merge event, until the merge is undone', async () => {
    const account = testClient(app);
    const [merged, into] = [aContact({ email: 'was@example.com' }), aContact({ email: 'stays@example.com' })];
    const unknown = newId('contact');
    known.push(into);
    merges.push({ id: unknown, into: into.id });
    const looked = await track(account, { event: 'seen', visitor_id: 'v25', contact_id: unknown });
    assert.equal(await contactOf(looked), into.id);
    for (const contact of [merged, into]) await publish(ContactCreated, account.accountId, { contact });
    const early = await track(account, { event: 'seen', visitor_id: 'v26', contact_id: merged.id });
    await visitorOf(account, 'v26', ({ contact_id }) => contact_id === merged.id);
    await publish(ContactDeleted, account.accountId, { contact_id: merged.id, revision: 2, merged_into: into.id });
    await isMerged(account, merged.id);
    const late = await track(account, { event: 'seen', visitor_id: 'v27', contact_id: merged.id });
    assert.equal(await contactOf(late), into.id);
    const anonymous = await track(account, { event: 'seen', visitor_id: 'v27' });
    assert.equal(await contactOf(anonymous), into.id);
    const identified = await received.next(
      VisitorIdentified,
      ({ data, account_id }) => account_id === account.accountId && data.contact_id === into.id,
    );
    assert.ok(identified, 'a visitor of a merged contact is published as identified as the survivor');
    const own = await track(account, { event: 'seen', visitor_id: 'v26', contact_id: into.id });
    assert.equal(await contactOf(own), into.id);
    const visitor = await visitorOf(account, 'v26', ({ events }) => events === 2);
    assert.deepEqual([visitor.contact_id, visitor.conflicts], [merged.id, []], 'naming the survivor is not a conflict');
    assert.deepEqual(await visitorsOf(account, into.id), new Set(['v25', 'v26', 'v27']));
    assert.deepEqual(
      await visitorsOf(account, merged.id, 'q'),
      new Set(['v25', 'v26', 'v27']),
      'searching either ID finds the whole person',
    );
    await eventually(async () => isDeepStrictEqual(await eventsOf(account, into.id), new Set([looked, early, late, anonymous, own])));
    await publish(ContactCreated, account.accountId, { contact: { ...merged, revision: 3 } });
    await eventually(async () => isDeepStrictEqual(await visitorsOf(account, into.id), new Set(['v25'])));
    assert.deepEqual(await visitorsOf(account, merged.id), new Set(['v26', 'v27']));
    assert.deepEqual(await eventsOf(account, merged.id), new Set([early, late, anonymous]));
    assert.deepEqual(await eventsOf(account, into.id), new Set([looked, own]));
  });

  await t.test('undoing several merges, newest first, gives each contact its own visitors and events back', async () => {
    const account = testClient(app);
    const [a, b, c] = [aContact(), aContact(), aContact()];
    for (const contact of [a, b, c]) await publish(ContactCreated, account.accountId, { contact });
    const merge = (contact_id: ContactId, merged_into: ContactId) =>
      publish(ContactDeleted, account.accountId, { contact_id, revision: 2, merged_into });
    await merge(a.id, b.id);
    await merge(b.id, c.id);
    for (const { id } of [a, b]) await isMerged(account, id);
    const named = async (contactId: ContactId) => track(account, { event: 'seen', visitor_id: `by-${contactId}`, contact_id: contactId });
    const [ofA, ofB, ofC] = [await named(a.id), await named(b.id), await named(c.id)];
    await eventually(async () => isDeepStrictEqual(await eventsOf(account, c.id), new Set([ofA, ofB, ofC])));
    for (const id of [ofA, ofB]) assert.equal(await contactOf(id), c.id);
    await publish(ContactCreated, account.accountId, { contact: { ...b, revision: 3 } });
    await eventually(async () => isDeepStrictEqual(await eventsOf(account, c.id), new Set([ofC])));
    assert.deepEqual(await eventsOf(account, b.id), new Set([ofA, ofB]));
    await publish(ContactCreated, account.accountId, { contact: { ...a, revision: 3 } });
    await eventually(async () => isDeepStrictEqual(await eventsOf(account, b.id), new Set([ofB])));
    assert.deepEqual(await eventsOf(account, a.id), new Set([ofA]));
    assert.deepEqual(await visitorsOf(account, b.id), new Set([`by-${b.id}`]));
  });

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
