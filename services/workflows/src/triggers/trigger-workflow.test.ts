import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, fakeServices, knownContact, knownContacts, sleeper } from '../../test/setting.ts';
import { buildApp } from '../app.ts';
import { createContactsStore } from '../contacts/contacts-store.ts';

test('POST /v2/workflows/:id/trigger', async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app);
  const create = async (body = {}, client = account) => (await client.post('/v2/workflows', { ...sleeper, ...body })).data.id;
  const contact = (email?: string) => knownContact(parts, account.accountId, email);
  const trigger = (id: string, body: object, headers = {}) => account.post(`/v2/workflows/${id}/trigger`, body, headers);
  const runs = () => parts.mongo.db.collection('runs').countDocuments({ account_id: account.accountId });
  const stranger = newId('contact');
  const aThousand = async () => (await knownContacts(parts, account.accountId, 1_000)).map((contact_id) => ({ contact_id }));
  const everyone = async (client: ReturnType<typeof testClient>) => ({ contact_id: await knownContact(parts, client.accountId) });

  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'workflows:write',
    url: async (client) => `/v2/workflows/${await create({}, client)}/trigger`,
    body: { contacts: [{ contact_id: stranger }] },
  });

  await t.test('starts a run for a contact named by id or email, even if its event has not arrived yet', async () => {
    const id = await create();
    const known = await contact('known@example.com');
    const fresh = { id: newId('contact'), email: 'fresh@example.com' };
    play.contacts.set(fresh.id, fresh);
    const other = { id: newId('contact'), email: 'other@example.com' };
    play.contacts.set(other.id, other);
    for (const [body, contactId] of [
      [{ email: 'KNOWN@example.com' }, known],
      [{ contact_id: fresh.id }, fresh.id],
      [{ email: 'other@example.com' }, other.id],
    ] as const) {
      const response = await trigger(id, body);
      assert.equal(response.status, 202, response.text);
      const [run] = response.data.runs;
      assert.deepEqual([response.data.runs.length, run.contact_id, run.error], [1, contactId, null]);
      assert.match(run.run_id, /^run_[0-9a-z]{26}$/);
    }
  });

  await t.test('rejects a single contact that does not exist or belongs to another account', async () => {
    const id = await create();
    for (const contactId of [stranger, (await everyone(testClient(app))).contact_id, 'x']) {
      const response = await trigger(id, { contact_id: contactId });
      assert.deepEqual(
        [response.status, response.error.details[0]],
        [400, { path: '/contact_id', code: 'unknown_contact', message: 'The account has no such contact.' }],
      );
    }
    assert.equal((await trigger(id, { email: 'nobody@example.com' })).error.details[0].path, '/email');
  });

  await t.test('returns a separate result for each of several contacts', async () => {
    const id = await create();
    const [a, b] = [await contact(), await contact()];
    const response = await trigger(id, { contacts: [{ contact_id: a }, { contact_id: stranger }, { contact_id: a }, { contact_id: b }] });
    assert.equal(response.status, 202, response.text);
    const outcomes = response.data.runs.map((run: { contact_id: string; run_id: string | null; error: { code: string } | null }) => [
      run.contact_id,
      run.run_id !== null,
      run.error?.code,
    ]);
    assert.deepEqual(outcomes, [
      [a, true, undefined],
      [stranger, false, 'NOT_FOUND'],
      [a, false, 'CONFLICT'],
      [b, true, undefined],
    ]);
  });

  await t.test('accepts 1,000 contacts and rejects 1,001', async () => {
    const id = await create();
    const contacts = await aThousand();
    const response = await trigger(id, { contacts });
    assert.equal(response.status, 202);
    assert.equal(new Set(response.data.runs.map((run: { run_id: string }) => run.run_id)).size, 1_000);
    assert.equal((await trigger(id, { contacts: [...contacts, { contact_id: stranger }] })).status, 400);
  });

  await t.test('applies the entry policy: once, after exit, every time', async () => {
    const contactId = await contact();
    const ended = { steps: [{ id: 'end', type: 'exit' }] };
    const statuses = async (body: object) => {
      const id = await create(body);
      return [(await trigger(id, { contact_id: contactId })).status, (await trigger(id, { contact_id: contactId })).status];
    };
    assert.deepEqual(await statuses({ entry: { policy: 'once' }, ...ended }), [202, 409]);
    assert.deepEqual(await statuses({ entry: { policy: 'after_exit' } }), [202, 409]);
    assert.deepEqual(await statuses({ entry: { policy: 'after_exit' }, ...ended }), [202, 202]);
    assert.deepEqual(await statuses({ entry: { policy: 'every_time' } }), [202, 202]);
  });

  await t.test('starts one run for many simultaneous requests', async () => {
    const id = await create();
    const contactId = await contact();
    const many = account.patient();
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => many.post(`/v2/workflows/${id}/trigger`, { contact_id: contactId })),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [202, ...Array(11).fill(409)]);
  });

  await t.test('returns the first response to a retry and starts no further run', async () => {
    const id = await create({ entry: { policy: 'every_time' } });
    const body = { contact_id: await contact(), data: { order: 7 } };
    const before = await runs();
    const [first, second] = [await trigger(id, body, { 'idempotency-key': 'k' }), await trigger(id, body, { 'idempotency-key': 'k' })];
    assert.deepEqual(first.data, second.data);
    assert.equal((await runs()) - before, 1);
    assert.deepEqual((await account.get(`/v2/workflows/runs/${first.data.runs[0].run_id}`)).data.data, { order: 7 });
  });

  await t.test('returns the first response to a retry after the contact or the workflow was deleted', async () => {
    const id = await create();
    const contactId = await contact();
    const body = { contact_id: contactId };
    const first = await trigger(id, body, { 'idempotency-key': 'gone' });
    await parts.mongo.db.collection<{ _id: string }>('contacts').deleteOne({ _id: contactId });
    assert.equal((await trigger(id, body)).status, 400);
    await account.delete(`/v2/workflows/${id}`);
    const second = await trigger(id, body, { 'idempotency-key': 'gone' });
    assert.deepEqual([first.status, second.status, second.data], [202, 202, first.data]);
    assert.equal((await trigger(id, body)).status, 404);
  });

  await t.test('accepts as much data for many contacts as one transaction can hold, and rejects more', async () => {
    const id = await create();
    const contacts = await aThousand();
    const data = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    const most = await trigger(id, { contacts, data: data(8_388) });
    assert.equal(most.status, 202, most.text.slice(0, 200));
    assert.equal(most.data.runs.filter(({ run_id }: { run_id: string | null }) => run_id !== null).length, 1_000);
    const more = await trigger(id, { contacts, data: data(8_389) });
    assert.deepEqual([more.status, more.error?.details[0].path], [400, '/data']);
    assert.equal((await trigger(id, { contacts: contacts.slice(0, 512), data: data(16_384) })).status, 202);
  });

  await t.test('rejects a trigger while the workflow is not active', async () => {
    const contactId = await contact();
    const id = await create({ status: 'draft' });
    assert.deepEqual([(await trigger(id, { contact_id: contactId })).error.code], ['INVALID_STATE']);
    await account.post(`/v2/workflows/${id}/activate`);
    await account.post(`/v2/workflows/${id}/pause`);
    assert.equal((await trigger(id, { contact_id: contactId })).status, 409);
  });

  await t.test('requires exactly one way of naming contacts, and data within the limits', async () => {
    const id = await create();
    const contactId = await contact();
    for (const body of [
      {},
      { contact_id: contactId, email: 'a@example.com' },
      { contacts: [] },
      { contacts: [{ contact_id: contactId, email: 'a@example.com' }] },
      { email: 'nope' },
      { contact_id: contactId, data: { 'a b': 1 } },
      { contact_id: contactId, data: { a: 'x'.repeat(17_000) } },
    ]) {
      assert.equal((await trigger(id, body)).status, 400, JSON.stringify(body).slice(0, 80));
    }
  });
});

test('a contact that is merged between its lookup and its run enters as the survivor', async (t) => {
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app);
  const contacts = createContactsStore(parts.mongo.db);
  const [merged, survivor, deleted] = [newId('contact'), await knownContact(parts, account.accountId), newId('contact')];
  await parts.broker.reply(ContactsFind, async ({ ids }) => {
    for (const id of ids) {
      const into = id === merged ? survivor : undefined;
      await parts.mongo.transaction({ correlationId: id, causationId: null }, (tx) =>
        contacts.forget(tx, account.accountId, { id, revision: 2, mergedInto: into }),
      );
    }
    return { contacts: ids.map((id) => aContact({ id })), merged: [] };
  });
  const { data: workflow } = await account.post('/v2/workflows', sleeper);
  const trigger = (body: object) => account.post(`/v2/workflows/${workflow.id}/trigger`, body);
  const { data } = await trigger({ contacts: [{ contact_id: merged }, { contact_id: deleted }] });
  assert.deepEqual(
    data.runs.map(({ contact_id, error }: { contact_id: string; error: { code: string } | null }) => [contact_id, error?.code]),
    [
      [survivor, undefined],
      [deleted, 'NOT_FOUND'],
    ],
  );
});
