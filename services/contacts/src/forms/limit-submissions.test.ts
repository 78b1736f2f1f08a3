import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormFlooded } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { aForm } from '../../test/forms.ts';
import { aVisitor, confirmations } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/forms';

test('the limits of a form', async (t) => {
  const parts = await testParts(t, 'contacts', { monitorCommands: true });
  const { app } = await testService(t, parts, buildApp);

  async function formOf(account: Client, body: object = {}) {
    const { status, data, text } = await account.post(path, { ...aForm(), ...body });
    assert.equal(status, 201, text);
    return data;
  }
  let visitors = 0;
  const someone = () => {
    visitors += 1;
    return { fields: { email: `visitor${visitors}@example.com` }, consents: ['news'] };
  };
  const statusOf = async (id: string, body: object = someone()) => (await aVisitor(app).submit(id, body)).status;
  const floods = async ({ accountId }: Client) => (await writtenEvents(parts.mongo.db, { accountId, subject: FormFlooded.subject })).length;
  const floodedAt = async (account: Client, id: string) => (await account.get(`${path}/${id}`)).data.flooded_at;

  await t.test('what is rejected, such as of robots, closes the form for nobody', async () => {
    const account = testClient(app);
    const form = await formOf(account, { limits: { submissions_per_hour: 3 }, captcha: 'off' });
    for (let round = 0; round < 5; round += 1) {
      assert.equal(await statusOf(form.id, { ...someone(), website: 'https://spam.example' }), 200);
      assert.equal(await statusOf(form.id, { ...someone(), fields: { email: 'nope' } }), 400);
      assert.equal((await aVisitor(app).post(`/f/${form.id}`, { email: 'nope' })).status, 400);
    }
    const guarded = await formOf(account, { limits: { submissions_per_hour: 3 }, captcha: 'always' });
    for (let round = 0; round < 5; round += 1) assert.equal(await statusOf(guarded.id), 400);
    await account.put(`${path}/${guarded.id}`, { captcha: 'off' });
    for (const { id } of [form, guarded]) assert.equal(await statusOf(id), 200);
    assert.deepEqual([await floods(account), await floodedAt(account, form.id)], [0, null]);
  });

  await t.test('a form that takes no more submissions says so once, and rejects them without a command to the database', async () => {
    const account = testClient(app);
    const form = await formOf(account, { limits: { submissions_per_hour: 3 }, captcha: 'off' });
    for (const expected of [200, 200, 200, 429]) assert.equal(await statusOf(form.id), expected);
    assert.match(await floodedAt(account, form.id), /Z$/);
    const { commands } = await countCommands(parts.mongo, async () => {
      for (let round = 0; round < 30; round += 1) assert.equal(await statusOf(form.id), 429);
      const page = await aVisitor(app).post(`/f/${form.id}`, { email: 'ada@example.com' });
      assert.deepEqual([page.status, page.headers['content-type']], [429, 'text/html; charset=utf-8']);
      assert.ok(Number(page.headers['retry-after']) > 0);
    });
    assert.ok(commands <= 10, `${commands} commands`);
    assert.equal(await floods(account), 1);
  });

  await t.test('a form is not flooded by submissions that need no confirmation', async () => {
    const account = testClient(app);
    const limits = { confirmations_per_hour: 1 };
    const [asksNothing, form] = [await formOf(account, { consents: [], limits }), await formOf(account, { limits, captcha: 'off' })];
    for (let round = 0; round < 4; round += 1) assert.equal(await statusOf(asksNothing.id, { fields: someone().fields }), 200);
    const consent = { email: { status: 'subscribed' } };
    await account.post('/v2/contacts', { email: 'ada@example.com', consent });
    for (let round = 0; round < 3; round += 1) await statusOf(form.id, { fields: { email: 'ada@example.com' }, consents: ['news'] });
    assert.equal(await statusOf(form.id), 200);
    assert.equal((await confirmations(parts, account.accountId)).length, 1);
    assert.deepEqual([await floods(account), await floodedAt(account, form.id)], [0, null]);
  });

  await t.test('`auto` asks for a proof of work once the form is flooded, and no longer an hour after that', async () => {
    const account = testClient(app);
    const form = await formOf(account, { limits: { confirmations_per_hour: 1 } });
    assert.equal(form.captcha, 'auto');
    for (const expected of [200, 200, 400, 400]) assert.equal(await statusOf(form.id), expected);
    const { error } = await aVisitor(app).submit(form.id, someone());
    assert.equal(error.details[0].code, 'captcha_required');
    const flooded_at = new Date(Date.now() - 61 * 60_000);
    await parts.mongo.db.collection<{ _id: string }>('forms').updateOne({ _id: form.id }, { $set: { flooded_at } });
    // The change shows the form as it is now.
    await account.put(`${path}/${form.id}`, { name: `${form.name}, later` });
    assert.equal(await statusOf(form.id), 200);
  });

  await t.test('the addresses of an IPv6 network of 64 bits count as one', async () => {
    const form = await formOf(testClient(app));
    const from = async (address: string) => (await aVisitor(app).submit(form.id, someone(), { 'x-forwarded-for': address })).status;
    for (let index = 0; index < 30; index += 1) assert.equal(await from(`2001:db8:1:2::${index.toString(16)}`), 200);
    assert.deepEqual([await from('2001:db8:1:2:ffff::1'), await from('2001:db8:1:3::1')], [429, 200]);
  });
});
