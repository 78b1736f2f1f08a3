import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../app.ts';

test('PUT /v2/contacts/:id', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const create = async (body: object) => (await account.post('/v2/contacts', body)).data;
  const changes = async (id: string) =>
    (await writtenEvents(parts.mongo.db, { subject: 'contacts.contact.updated.v1' }))
      .filter(({ envelope }) => envelope.data.contact.id === id)
      .map(({ envelope }) => envelope.data.changed);

  await guaranteeRoute(t, app, {
    method: 'PUT',
    scope: 'contacts:write',
    url: async (client) => `/v2/contacts/${(await client.post('/v2/contacts', { email: 'ada@example.com' })).data.id}`,
    body: { first_name: 'Ada' },
  });

  await t.test('changes the fields it names, clears with null, and publishes what changed', async () => {
    const contact = await create({
      email: 'a@example.com',
      first_name: 'A',
      company: 'Acme',
      address: { city: 'Berlin', country: 'DE' },
      attributes: { plan: 'free', seats: 1 },
    });
    const response = await account.put(`/v2/contacts/${contact.id}`, {
      company: null,
      address: { city: 'Bonn' },
      attributes: { seats: null, plan: 'pro' },
      tags: ['vip'],
    });
    assert.equal(response.status, 200);
    assert.deepEqual(
      [
        response.data.first_name,
        response.data.company,
        response.data.address.city,
        response.data.address.country,
        response.data.attributes,
        response.data.revision,
      ],
      ['A', null, 'Bonn', 'DE', { plan: 'pro' }, 2],
    );
    assert.deepEqual((await changes(contact.id))[0].sort(), ['address.city', 'attributes.plan', 'attributes.seats', 'company', 'tags']);
  });

  await t.test('accepts an unchanged GET response, and then writes and publishes nothing', async () => {
    const contact = await create({
      email: 'b@example.com',
      phone: '+4930901820',
      address: { city: 'Köln' },
      attributes: { a: ['x'] },
      consent: { email: { status: 'pending' } },
    });
    const read = (await account.get(`/v2/contacts/${contact.id}`)).data;
    const response = await account.put(`/v2/contacts/${contact.id}`, read);
    assert.deepEqual([response.status, response.data], [200, contact]);
    assert.deepEqual(await changes(contact.id), []);
    const forged = await account.put(`/v2/contacts/${contact.id}`, { ...read, created_at: '2020-01-01T00:00:00.000Z' });
    assert.deepEqual([forged.status, forged.error.details[0].path], [400, '/created_at']);
  });

  await t.test('rejects removing the last identifier, and an identifier that another contact has', async () => {
    const [one, two] = [await create({ email: 'c@example.com' }), await create({ email: 'd@example.com' })];
    assert.equal((await account.put(`/v2/contacts/${one.id}`, { email: null })).error.details[0].code, 'identity_required');
    const taken = await account.put(`/v2/contacts/${one.id}`, { email: 'D@example.com' });
    assert.deepEqual([taken.status, taken.error.details[0].existing_id], [409, two.id]);
    assert.equal(
      (await account.put(`/v2/contacts/${one.id}`, { email: 'C@example.com' })).status,
      200,
      'its own email can change its case',
    );
  });

  await t.test('honours If-Match', async () => {
    const contact = await create({ email: 'e@example.com' });
    const match = { 'if-match': '"1"' };
    assert.equal((await account.put(`/v2/contacts/${contact.id}`, { first_name: 'E' }, match)).status, 200);
    const stale = await account.put(`/v2/contacts/${contact.id}`, { first_name: 'F' }, match);
    assert.deepEqual([stale.status, stale.error.code], [412, 'PRECONDITION_FAILED']);
    assert.equal((await account.delete(`/v2/contacts/${contact.id}`, match)).status, 412);
  });

  await t.test('loses none of many concurrent changes', async () => {
    const contact = await create({ email: 'f@example.com' });
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        account.patient().put(`/v2/contacts/${contact.id}`, { attributes: { [`k${index}`]: index } }),
      ),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      Array(10).fill(200),
    );
    const { data } = await account.get(`/v2/contacts/${contact.id}`);
    assert.deepEqual([Object.keys(data.attributes).length, data.revision], [10, 11]);
  });
});
