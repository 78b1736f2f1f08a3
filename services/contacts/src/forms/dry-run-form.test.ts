import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { aForm } from '../../test/forms.ts';
import { aVisitor } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/forms';
const nameField = { field: 'first_name', type: 'text', label: { en: 'Name' } };

test('a dry run of a form', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const ada = { fields: { email: 'ada@example.com', first_name: 'Ada' }, consents: ['news'] };
  const formOf = async (account = testClient(app)) => {
    const { data } = await account.post(path, {
      ...aForm(),
      fields: [...aForm().fields, nameField],
      sender: { email: 'news@example.com' },
    });
    return { account, form: data, dryRun: (body: object) => account.post(`${path}/${data.id}/dry-run`, body) };
  };
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'contacts:read',
    url: async (account) => `${path}/${(await account.post(path, aForm())).data.id}/dry-run`,
    body: { fields: { email: 'ada@example.com' }, consents: ['news'] },
  });

  /** Every document of the account in the collections that a submission changes. */
  async function stored(accountId: string) {
    const names = (await parts.mongo.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
    const rows = await Promise.all(names.map((name) => parts.mongo.db.collection(name).find({ account_id: accountId }).toArray()));
    return rows.map((found, index) => [names[index], found]);
  }

  await t.test('says what a submission would do, and stores, counts, publishes and sends nothing', async () => {
    const { account, form, dryRun } = await formOf();
    const before = await stored(account.accountId);
    const { status, data } = await dryRun(ada);
    assert.equal(status, 200);
    assert.deepEqual(data, {
      contact_id: null,
      changed: [],
      consents: [{ channel: 'email', topics: ['newsletter'] }],
      is_suppressed: false,
      awaits_confirmation: true,
      sends_email: true,
    });
    assert.deepEqual(await stored(account.accountId), before);
    await aVisitor(app).submit(form.id, ada);
    const [contact] = (await account.get('/v2/contacts')).data.items;
    const again = await dryRun({ ...ada, fields: { ...ada.fields, first_name: 'Augusta' } });
    assert.deepEqual([again.data.contact_id, again.data.changed], [contact.id, []], 'a value that is there stays');
  });

  await t.test('names every problem as a submission would, and takes no archived form', async () => {
    const { account, form, dryRun } = await formOf();
    const { status, error } = await dryRun({ fields: { first_name: 'Ada' }, consents: ['else'] });
    assert.deepEqual([status, error.details.map((detail: { path: string }) => detail.path).sort()], [400, ['/consents', '/fields/email']]);
    await account.post(`${path}/${form.id}/archive`);
    assert.equal((await dryRun(ada)).error.code, 'INVALID_STATE');
  });

  await t.test('says that a suppressed address gets no consent and no email', async () => {
    const { account, dryRun } = await formOf();
    await account.post('/v2/contacts/suppressions', { email: 'ada@example.com', reason: 'complaint' });
    const { data } = await dryRun(ada);
    assert.deepEqual([data.is_suppressed, data.consents, data.awaits_confirmation, data.sends_email], [true, [], false, false]);
  });

  await t.test('says that an address gets no fourth confirmation email in 24 hours', async () => {
    const { form, dryRun } = await formOf();
    for (const _ of [1, 2, 3]) await aVisitor(app).submit(form.id, ada);
    const { data } = await dryRun(ada);
    assert.deepEqual([data.awaits_confirmation, data.sends_email], [true, false]);
  });
});
