import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import { SegmentMemberChange } from '@mp/contracts/requests/segments';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { applyAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

/** A busy machine takes longer than the default. */
const patientMs = 60_000;

test('a membership change that a workflow requests', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  await parts.broker.reply(ContactsFind, async () => ({ contacts: [] }));
  const account = testClient(app);
  const account_id = account.accountId;
  const contact = contactWith(livingIn('Berlin'));
  await applyAll(parts, built, account_id, [contact]);
  const list = async () => String((await account.post('/v2/segments', { name: newId('segment'), kind: 'static' })).data.id);
  const members = async (id: string) =>
    (await account.get(`/v2/segments/${id}/contacts`)).data.items.map((member: { id: string }) => member.id);
  const change = (segment_id: string, to: 'inside' | 'outside', more: { effect_key?: string; contact_id?: string } = {}) =>
    parts.broker.request(
      SegmentMemberChange,
      {
        ...{ account_id, segment_id, to, contact_id: contact.id, workflow_id: 'workflow_1', correlation_id: 'chain_12345678' },
        ...{ effect_key: `${newId('run')}:1`, ...more },
      },
      patientMs,
    );

  await t.test('adds and removes the contact, in the name of the workflow and in its chain of effects', async () => {
    const id = await list();
    assert.deepEqual(await change(id, 'inside'), { refused: null });
    assert.deepEqual(await members(id), [contact.id]);
    const { data: why } = await account.get(`/v2/segments/${id}/contacts/${contact.id}`);
    assert.deepEqual([why.entered_cause, why.entered_by], ['manual', 'workflow_1']);
    assert.deepEqual(await change(id, 'outside'), { refused: null });
    assert.deepEqual(await members(id), []);
    const events = (await writtenEvents(parts.mongo.db, { accountId: account_id })).map(({ envelope }) => envelope);
    assert.deepEqual(
      events.map(({ type, correlation_id }) => [type, correlation_id]),
      [
        ['segments.membership.entered', 'chain_12345678'],
        ['segments.membership.left', 'chain_12345678'],
      ],
    );
  });

  await t.test('is made once per key, even if it is requested several times at once or the contact has left since then', async () => {
    const id = await list();
    const effect_key = `${newId('run')}:1`;
    // Like the engine, which retries when segments does not reply or gives up on a conflict.
    const add = () => eventually(() => change(id, 'inside', { effect_key }).catch(() => undefined));
    assert.deepEqual(await Promise.all([add(), add(), add()]), [{ refused: null }, { refused: null }, { refused: null }]);
    await account.call('DELETE', `/v2/segments/${id}/contacts`, { contacts: [{ id: contact.id }] });
    assert.deepEqual(await add(), { refused: null });
    assert.deepEqual(await members(id), []);
    const { data } = await account.get(`/v2/segments/${id}/changes`);
    assert.equal(data.items.length, 2);
  });

  await t.test('is refused for a dynamic, archived or unknown segment, another account and an unknown contact', async () => {
    const { data: dynamic } = await account.post('/v2/segments', { name: 'D', definition: { field: 'email', op: 'exists' } });
    const archived = await list();
    await account.post(`/v2/segments/${archived}/archive`);
    const foreign = String((await testClient(app).post('/v2/segments', { name: 'List', kind: 'static' })).data.id);
    for (const [id, why] of [
      [dynamic.id, /dynamic segment/],
      [archived, /archived/],
      [newId('segment'), /no longer exists/],
      [foreign, /no longer exists/],
    ] as const)
      assert.match((await change(id, 'inside')).refused ?? '', why);
    const unknown = await change(await list(), 'inside', { contact_id: newId('contact') });
    assert.equal(unknown.refused, 'The contact no longer exists.');
  });
});
