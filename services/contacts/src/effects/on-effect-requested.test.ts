import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { ContactFieldsChecked } from '@mp/contracts/requests/contacts';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { fillAttributeKeys } from '../../test/attribute-keys.ts';
import { buildApp } from '../app.ts';

test('effects that workflows request for a contact', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const account = testClient(app);
  const publish = (event: { subject: string; type: string }, data: object) =>
    parts.broker.publish(
      event.subject,
      JSON.stringify({
        id: newId('event'),
        type: event.type,
        version: 1,
        time: new Date().toISOString(),
        account_id: account.accountId,
        correlation_id: 'req_12345678',
        causation_id: null,
        producer: 'test',
        data,
      }),
    );
  const heard = new Set<string>();
  const request = async (contactId: string, change: object, effectKey = `${newId('run')}:1`) => {
    await publish(ContactEffectRequested, {
      effect_key: effectKey,
      run_id: effectKey.slice(0, -2),
      workflow_id: newId('workflow'),
      contact_id: contactId,
      change,
    });
    const completed = await events.next(ContactEffectCompleted, ({ id, data }) => data.effect_key === effectKey && !heard.has(id));
    heard.add(completed.id);
    return completed.data;
  };
  const { data: contact } = await account.post('/v2/contacts', { email: 'ada@example.com', tags: ['a'] });

  await t.test('a workflow adds and removes tags and updates fields, and the result is published', async () => {
    assert.deepEqual(await request(contact.id, { type: 'add_tag', tag: 'b' }).then(({ status, revision }) => [status, revision]), [
      'done',
      2,
    ]);
    assert.equal((await request(contact.id, { type: 'remove_tag', tag: 'a' })).status, 'done');
    assert.equal((await request(contact.id, { type: 'update_contact', members: { attributes: { plan: 'pro' } } })).status, 'done');
    const { data } = await account.get(`/v2/contacts/${contact.id}`);
    assert.deepEqual([data.tags, data.attributes], [['b'], { plan: 'pro' }]);
  });

  await t.test('attributes are incremented from their current value, and refused by name if they are not numbers', async () => {
    const { data: counted } = await account.post('/v2/contacts', { email: 'count@example.com', attributes: { points: 2, plan: 'pro' } });
    const increment = { 'attributes.points': 5, 'attributes.visits': -1 };
    const change = { type: 'update_contact', members: { attributes: { level: 'new' } }, increment };
    const key = `${newId('run')}:1`;
    assert.equal((await request(counted.id, change, key)).status, 'done');
    assert.equal((await request(counted.id, change, key)).status, 'done');
    const { data } = await account.get(`/v2/contacts/${counted.id}`);
    assert.deepEqual(data.attributes, { points: 7, plan: 'pro', visits: -1, level: 'new' });
    const wrong = await request(counted.id, { type: 'update_contact', members: {}, increment: { 'attributes.plan': 1 } });
    assert.equal(wrong.status, 'refused');
    assert.match(wrong.reason ?? '', /attributes\.plan/);
  });

  await t.test('an effect that changes nothing is done without a new revision', async () => {
    assert.deepEqual(await request(contact.id, { type: 'add_tag', tag: 'b' }).then(({ status, revision }) => [status, revision]), [
      'done',
      4,
    ]);
  });

  await t.test('a repeated request is not carried out again and gets the same result', async () => {
    const { data: own } = await account.post('/v2/contacts', { email: 'again@example.com' });
    const effectKey = `${newId('run')}:1`;
    const first = await request(own.id, { type: 'update_contact', members: { company: 'By workflow' } }, effectKey);
    await account.put(`/v2/contacts/${own.id}`, { company: 'By hand' });
    const again = await request(own.id, { type: 'update_contact', members: { company: 'By workflow' } }, effectKey);
    assert.deepEqual([first.status, first.revision, again], ['done', 2, first]);
    assert.equal((await account.get(`/v2/contacts/${own.id}`)).data.company, 'By hand');

    const refusedKey = `${newId('run')}:1`;
    const refused = await request(own.id, { type: 'update_contact', members: { email: null } }, refusedKey);
    await account.put(`/v2/contacts/${own.id}`, { external_id: 'x1' });
    assert.deepEqual(await request(own.id, { type: 'update_contact', members: { email: null } }, refusedKey), refused);
    assert.equal(refused.status, 'refused');
  });

  await t.test('an attribute key beyond the limit of the account is refused and not retried', async () => {
    await fillAttributeKeys(parts, account);
    const { status, reason } = await request(contact.id, { type: 'update_contact', members: { attributes: { one_more: 1 } } });
    assert.equal(status, 'refused');
    assert.match(reason ?? '', /1000 attribute keys/);
  });

  await t.test('an invalid change is refused with the reason and not retried', async () => {
    await account.post('/v2/contacts', { email: 'bo@example.com' });
    for (const [id, members] of [
      [contact.id, { email: null }],
      [contact.id, { email: 'bo@example.com' }],
      [contact.id, { timezone: 'Mars/Olympus' }],
      [newId('contact'), {}],
    ] as const) {
      const { status, reason } = await request(id, { type: 'update_contact', members });
      assert.equal(status, 'refused');
      assert.ok(reason);
    }
  });

  await t.test('what every contact would refuse is known before it is requested, with the path of the value', async () => {
    const check = async (members: object, increment: Record<string, number> = {}) => {
      const changes = [{ set: { ...members }, increment: Object.keys(increment).map((name) => name.slice('attributes.'.length)) }];
      const { problems } = await parts.broker.request(ContactFieldsChecked, { account_id: account.accountId, changes });
      return problems.map(({ of, path }) => `${of} ${path.join('/')}`);
    };
    const fine = { first_name: 'Ada', attributes: { plan: 'free' } };
    for (const [problem, members, increment] of [
      ['set email', { email: 'nobody' }],
      ['set phone', { phone: '12' }],
      ['set locale', { locale: '?' }],
      ['set timezone', { timezone: 'Mars/Olympus' }],
      ['set address/country', { address: { country: 'XX' } }],
      ['set first_name', { first_name: 5 }],
      ['set tags/0', { tags: [''] }],
      ['set consent/email/status', { consent: { email: { status: 'gone' } } }],
      ['set attributes/plan', { attributes: { plan: 5 } }],
      ['set attributes/a b', { attributes: { 'a b': 'c' } }],
      ['increment attributes.plan', {}, { 'attributes.plan': 1 }],
      ['increment attributes.a b', {}, { 'attributes.a b': 1 }],
    ] as const) {
      assert.deepEqual(await check(members, increment), [problem]);
      const { status } = await request(contact.id, { type: 'update_contact', members, ...(increment && { increment }) });
      assert.equal(status, 'refused', problem);
    }
    assert.deepEqual(await check(fine), []);
    assert.equal((await request(contact.id, { type: 'update_contact', members: fine })).status, 'done');
  });
});
