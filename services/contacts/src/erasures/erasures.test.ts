import assert from 'node:assert/strict';
import { test } from 'node:test';
import { erasingServices } from '@mp/contracts/erasure';
import { MessageSent } from '@mp/contracts/events/campaigns';
import { ContactErased } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { metric } from '@mp/test-kit/metric';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { endOfJob } from '../../test/jobs.ts';
import { publishEvent } from '../../test/publish-event.ts';
import { buildApp } from '../app.ts';
import { createRowErrorsStore } from '../imports/row-errors-store.ts';
import { receiptServices } from './erasure.ts';
import { createErasuresStore } from './erasures-store.ts';
import { receiptEvents } from './on-erased.ts';

test('erasures', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const { db } = parts.mongo;
  const contactOf = async (client: Client) => (await client.post('/v2/contacts', { email: 'guarantee@example.com' })).data.id;
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'contacts:erase',
    url: async (client) => `/v2/contacts/${await contactOf(client)}/erase`,
    body: {},
  });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'contacts:read',
    url: async (client) => `/v2/contacts/erasures/${(await client.post(`/v2/contacts/${await contactOf(client)}/erase`)).data.id}`,
  });

  /** Every collection that still contains the text. */
  async function mentions(text: string): Promise<string[]> {
    const found: string[] = [];
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
      for (const row of await db.collection(name).find().toArray()) if (JSON.stringify(row).toLowerCase().includes(text)) found.push(name);
    return found;
  }

  await t.test('remove all personal data, and complete once every service has confirmed', async () => {
    const account = testClient(app);
    const person = {
      email: 'Secret@Person.example',
      first_name: 'Verysecret',
      phone: '+4930901820',
      consent: { email: { status: 'unsubscribed', evidence: { text: 'verysecret' } } },
    };
    const { data: contact } = await account.post('/v2/contacts', person, { 'idempotency-key': 'k1' });
    const { data: twin } = await account.post('/v2/contacts', { email: 'other@person.example', first_name: 'Verysecret' });
    await account.put(`/v2/contacts/${contact.id}`, { last_name: 'Verysecret' }, { 'idempotency-key': 'k2' });
    await account.post('/v2/contacts/suppressions', { email: 'other@person.example', note: 'verysecret' });
    await account.post(`/v2/contacts/${contact.id}/merge`, { source_id: twin.id }, { 'idempotency-key': 'k3' });
    await publishEvent(parts, account.accountId, {
      event: MessageSent,
      data: {
        recipient_id: newId('recipient'),
        contact_id: contact.id,
        campaign_id: null,
        workflow_id: null,
        at: new Date().toISOString(),
      },
    });
    await eventually(async () => (await db.collection('timeline').countDocuments({ contact_id: contact.id, kind: 'message' })) === 1);

    const response = await account.post(`/v2/contacts/${contact.id}/erase`);
    assert.deepEqual(
      [response.status, response.data.status, response.headers.location],
      [202, 'running', `/v2/contacts/erasures/${response.data.id}`],
    );
    for (const id of [contact.id, twin.id]) assert.equal((await account.get(`/v2/contacts/${id}`)).status, 404);
    assert.equal((await account.post(`/v2/contacts/${contact.id}/erase`)).status, 404);
    const event = await events.next(ContactErased, ({ data }) => data.erasure_id === response.data.id);
    assert.deepEqual([event.data.contact_id, event.data.merged_ids], [contact.id, [twin.id]]);

    const erasure = async () => (await account.get(`/v2/contacts/erasures/${response.data.id}`)).data;
    await eventually(async () => (await erasure()).receipts.contacts !== null);
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await db.collection<{ _id: string }>('erasures').updateOne({ _id: response.data.id }, { $set: { requested_at: twoHoursAgo } });
    const oldestHours = async () => Math.round((await metric(parts, 'contacts_oldest_open_erasure_seconds')) / 3_600);
    assert.equal(await oldestHours(), 2);
    assert.equal((await erasure()).receipts.contacts.removed.consent_log, 1);
    // Like an import that had already read the row.
    const late = { row: 1, code: 'VALIDATION_ERROR', message: 'wrong', path: null, cells: ['Secret@Person.example'] };
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      createRowErrorsStore(db).add(tx, account.accountId, { importId: newId('import'), found: [late], before: 0 }),
    );
    for (const service of erasingServices) {
      assert.equal((await erasure()).status, 'running');
      const receipt = { erasure_id: response.data.id, contact_id: contact.id, removed: { things: 2 }, at: new Date().toISOString() };
      await publishEvent(parts, account.accountId, { event: receiptEvents[service], data: receipt });
      await publishEvent(parts, account.accountId, { event: receiptEvents[service], data: { ...receipt, removed: { things: 0 } } });
    }
    const done = await eventually(async () => {
      const now = await erasure();
      return now.status === 'completed' && now;
    });
    assert.ok(done.completed_at);
    assert.equal(await oldestHours(), 0, 'the others are younger');
    assert.deepEqual(Object.values(done.receipts).every(Boolean), true);
    for (const text of ['verysecret', 'secret@person.example', 'other@person.example', '+4930901820'])
      assert.deepEqual(await mentions(text), [], text);
    let left = 0;
    const { manager, publisher } = await parts.broker.connected();
    for await (const { config, state } of manager.streams.list()) {
      if (!config.subjects.some((subject) => subject.startsWith(parts.broker.subjectOf(''))) || state.messages === 0) continue;
      const consumer = await publisher.consumers.get(config.name);
      const messages = await consumer.fetch({ max_messages: state.messages, expires: 1_000 });
      for await (const message of messages) if (message.string().toLowerCase().includes('verysecret')) left += 1;
    }
    assert.equal(left, 0, 'the streams are cleared too');

    const { data: again } = await account.post('/v2/contacts', { email: 'SECRET@person.example' });
    assert.equal(again.status, 'suppressed', 'the suppression is kept, by its hash');
    const { data: suppressions } = await account.get('/v2/contacts/suppressions');
    assert.deepEqual(
      suppressions.items.map(({ email }: { email: string | null }) => email),
      [null, null],
    );
    const found = (await account.get('/v2/contacts/suppressions?email=secret@person.example')).data.items[0];
    await account.delete(`/v2/contacts/suppressions/${found.id}`);
    await eventually(async () => (await account.get(`/v2/contacts/${again.id}`)).data.status === 'active');
  });

  await t.test('affect one contact only: after an undone merge the other is kept, in both directions', async () => {
    const account = testClient(app);
    const create = async (body: object) => (await account.post('/v2/contacts', body)).data;
    const mergesOf = async (id: string) => (await account.get(`/v2/contacts/${id}/merges`)).data.items;
    const together = async (id: string, source_id: string) => (await account.post(`/v2/contacts/${id}/merge`, { source_id })).data.merge_id;
    const apart = (id: string, mergeId: string) => account.post(`/v2/contacts/${id}/merges/${mergeId}/undo`);
    const erase = async (id: string) => {
      const { status, data } = await account.post(`/v2/contacts/${id}/erase`, { suppress: true });
      assert.equal(status, 202);
      await eventually(async () => (await account.get(`/v2/contacts/erasures/${data.id}`)).data.receipts.contacts !== null);
    };

    const [one, two] = [await create({ email: 'one@pair.example' }), await create({ email: 'two@pair.example' })];
    const gone = await create({ email: 'gone@pair.example', phone: '+4930901820', first_name: 'Wanda-Gone' });
    const kept = await create({ email: 'kept@pair.example' });
    const { data: suppression } = await account.post('/v2/contacts/suppressions', { email: 'two@pair.example', note: 'asked by phone' });
    await apart(one.id, await together(one.id, two.id));
    await erase(one.id);
    assert.deepEqual((await account.get('/v2/contacts/suppressions?email=two@pair.example')).data.items, [suppression]);
    await account.delete(`/v2/contacts/suppressions/${suppression.id}`);
    assert.equal((await account.get(`/v2/contacts/${two.id}`)).data.status, 'active');

    // While merged with the contact erased later, the surviving contact had its phone, including in a merge made at that time.
    const first = await together(kept.id, gone.id);
    await apart(kept.id, await together(kept.id, two.id));
    await apart(kept.id, first);
    await apart(kept.id, await together(kept.id, two.id));
    assert.equal((await mergesOf(kept.id)).length, 3);
    await erase(gone.id);
    assert.doesNotMatch(JSON.stringify(await db.collection('merges').find({ account_id: account.accountId }).toArray()), /Wanda-Gone/);
    assert.deepEqual(
      (await mergesOf(kept.id)).map(({ source_id, contact }: { source_id: string; contact: { phone: string | null } }) => [
        source_id,
        contact.phone,
      ]),
      [[two.id, null]],
    );
  });

  await t.test('include every contact merged into the erased one, over any number of merges', async () => {
    const account = testClient(app);
    const emails = ['a@chain.example', 'b@chain.example', 'c@chain.example'];
    const ids: string[] = [];
    for (const email of emails) ids.push((await account.post('/v2/contacts', { email })).data.id);
    const [first = '', second = '', third = ''] = ids;
    await account.post('/v2/contacts/suppressions', { email: 'c@chain.example' });
    await account.post(`/v2/contacts/${second}/merge`, { source_id: third });
    await account.post(`/v2/contacts/${first}/merge`, { source_id: second });
    await account.post(`/v2/contacts/${first}/erase`);
    const found = (await account.get('/v2/contacts/suppressions?email=c@chain.example')).data.items[0];
    assert.equal(found.email, null, 'only the hash is kept');
  });

  await t.test('keep an unsubscription of merged contacts for every address they had', async () => {
    const account = testClient(app);
    const create = async (email: string) => (await account.post('/v2/contacts', { email })).data;
    const [one, two] = [await create('a@left.example'), await create('b@left.example')];
    await account.post(`/v2/contacts/${one.id}/merge`, { source_id: two.id });
    await account.put(`/v2/contacts/${one.id}/consent`, { email: { status: 'unsubscribed' } });
    await account.post(`/v2/contacts/${one.id}/erase`);
    for (const email of ['a@left.example', 'b@left.example']) assert.equal((await create(email)).status, 'suppressed', email);
  });

  await t.test('withdraw the export files that contain the contact, and no others', async () => {
    const account = testClient(app);
    const create = async (email: string) => (await account.post('/v2/contacts', { email, tags: [email.split('@')[0]] })).data;
    const [gone] = [await create('gone@file.example'), await create('kept@file.example')];
    const exported = async (body: object) => {
      const { data } = await account.post('/v2/contacts/exports', body);
      return endOfJob(account, `/v2/contacts/exports/${data.id}`);
    };
    const everybody = [await exported({ format: 'csv' }), await exported({ format: 'ndjson' })];
    const other = await exported({ rule: { field: 'tags', op: 'contains', value: 'kept' } });
    await account.post('/v2/contacts/suppressions', { email: 'gone@file.example' }, { 'idempotency-key': 'k1' });
    const { data } = await account.post(`/v2/contacts/${gone.id}/erase`);
    const { receipts } = await eventually(async () => {
      const { data: now } = await account.get(`/v2/contacts/erasures/${data.id}`);
      return now.receipts.contacts !== null && now;
    });
    assert.deepEqual([receipts.contacts.removed.export_files, receipts.contacts.removed.answers], [2, 1]);
    for (const { id, download_url } of everybody) {
      assert.deepEqual([(await account.get(download_url)).status, (await account.get(`/v2/contacts/exports/${id}`)).status], [404, 404]);
      assert.equal(await db.collection('file_chunks').countDocuments({ file_id: id }), 0);
    }
    assert.match((await account.get(other.download_url)).text, /kept@file\.example/);
  });

  await t.test('do not affect an address that another contact now has', async () => {
    const account = testClient(app);
    const create = async (email: string) => (await account.post('/v2/contacts', { email })).data;
    const [one, two] = [await create('a@handed.example'), await create('b@handed.example')];
    await account.post('/v2/contacts/suppressions', { email: 'b@handed.example', note: 'asked by phone' });
    await account.post(`/v2/contacts/${one.id}/merge`, { source_id: two.id });
    const { data: suppressed } = await account.get('/v2/contacts/suppressions?email=b@handed.example');
    await account.delete(`/v2/contacts/suppressions/${suppressed.items[0].id}`);
    const holder = await create('B@handed.example');
    await account.post(`/v2/contacts/${one.id}/erase`, { suppress: true });
    assert.deepEqual((await account.get('/v2/contacts/suppressions?email=b@handed.example')).data.items, []);
    assert.equal((await account.get('/v2/contacts/suppressions?email=a@handed.example')).data.items.length, 1);
    assert.equal((await account.get(`/v2/contacts/${holder.id}`)).data.status, 'active');
    assert.equal((await account.put(`/v2/contacts/${holder.id}`, { first_name: 'C' })).data.status, 'active');
  });

  await t.test('leave no suppression of a reachable address, unless requested', async () => {
    const account = testClient(app);
    for (const suppress of [false, true]) {
      const { data } = await account.post('/v2/contacts', { email: 'free@example.com' });
      await account.post(`/v2/contacts/${data.id}/erase`, { suppress });
      const { data: again } = await account.post('/v2/contacts', { email: 'free@example.com' });
      assert.equal(again.status, suppress ? 'suppressed' : 'active');
      await account.delete(`/v2/contacts/${again.id}`);
    }
  });
});

test('an erasure completes soon after an unavailable broker is back, without waiting for its lease', async (t) => {
  let stop = async () => {};
  // Hooks run in the order they were added: background work stops before its database is dropped.
  t.after(() => stop());
  const parts = await testParts(t, 'contacts');
  const { app, background = [] } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const { data: contact } = await account.post('/v2/contacts', { email: 'away@example.com' });
  const { data: erasure } = await account.post(`/v2/contacts/${contact.id}/erase`);
  const erasures = createErasuresStore(parts.mongo.db);
  const receipt = { at: new Date(), removed: {} };
  await parts.mongo.transaction({ correlationId: 'test', causationId: null }, async (tx) => {
    for (const service of receiptServices) await erasures.receive(tx, account.accountId, { id: erasure.id, service, receipt });
  });
  const status = async () => (await account.get(`/v2/contacts/erasures/${erasure.id}`)).data.status;

  for (const part of background) part.start();
  stop = async () => {
    await Promise.all(background.map((part) => part.stop()));
  };
  const dueAt = async () =>
    (await parts.mongo.db.collection<{ _id: string; due_at: Date }>('erasures').findOne({ _id: erasure.id }))?.due_at;
  const due = await dueAt();
  await eventually(async () => Number(await dueAt()) > Number(due));
  assert.equal(await status(), 'running');
  parts.broker.start();
  await eventually(async () => (await status()) === 'completed');
});
