import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { smallest, startSetting } from '../../test/setting.ts';

test('a role with limits sends only about its topics and from its senders', async (t) => {
  const { app, neighbours, sink } = await startSetting(t);
  const admin = testClient(app, { principal_id: newId('user'), permission: 'admin' });
  const sending_limits = { topics: ['news'], senders: ['news@example.com', '@brand.example'] };
  const ada = admin.as({ principal_id: newId('user'), permission: 'read_write', sending_limits });

  const draft = async (body: object = {}) => {
    const { status, data, text } = await ada.post('/v2/campaigns', { ...smallest, topic: 'news', ...body });
    assert.equal(status, 201, text);
    return data.id;
  };
  const refused = async (pending: ReturnType<Client['post']>, why: RegExp) => {
    const { status, error, text } = await pending;
    assert.deepEqual([status, error?.code], [403, 'FORBIDDEN'], text);
    assert.match(error.message, why);
  };
  const foreign = [
    [{ topic: null }, /without a topic/],
    [{ topic: 'offers' }, /about offers; its topics are news/],
    [{ from: { email: 'ceo@example.com' } }, /from ceo@example\.com; its senders are news@example\.com, @brand\.example/],
    [{ from: { email: 'a@brand.example.evil.example' } }, /from a@brand/],
  ] as const;

  await t.test('sends, schedules and tests its own campaigns only within its limits', async () => {
    const schedule_at = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal((await ada.post(`/v2/campaigns/${await draft()}/send`)).status, 202);
    assert.equal((await ada.post(`/v2/campaigns/${await draft({ from: { email: 'Eva@Brand.example' } })}/send`)).status, 202);
    for (const [body, why] of foreign) {
      const id = await draft(body);
      await refused(ada.post(`/v2/campaigns/${id}/send`), why);
      await refused(ada.post(`/v2/campaigns/${id}/send`, { schedule_at }), why);
      await refused(ada.post(`/v2/campaigns/${id}/test`, { to: ['ada@example.com'] }), why);
      assert.equal((await ada.get(`/v2/campaigns/${id}`)).data.status, 'draft');
      assert.equal((await admin.post(`/v2/campaigns/${id}/send`)).status, 202, 'others may');
    }
  });

  await t.test('does not reschedule a campaign about another topic', async () => {
    const inHours = (hours: number) => ({ schedule_at: new Date(Date.now() + hours * 3_600_000).toISOString() });
    const id = await draft({ topic: 'offers' });
    assert.equal((await admin.post(`/v2/campaigns/${id}/send`, inHours(2))).status, 202);
    await refused(ada.put(`/v2/campaigns/${id}`, inHours(1)), /about offers/);
    const author = admin.as({ principal_id: newId('user'), scopes: ['campaigns:read', 'campaigns:write'] });
    await refused(author.put(`/v2/campaigns/${id}`, inHours(1)), /lacks the scope campaigns:send/);
    assert.equal((await admin.put(`/v2/campaigns/${id}`, inHours(1))).status, 200);
  });

  await t.test('may see a preview or a dry run of any campaign, which sends nothing', async () => {
    const id = await draft({ from: { email: 'ceo@example.com' }, subject: 'Only previewed' });
    neighbours.contact(admin.accountId, { email: 'reader@example.com' });
    for (const verb of ['preview', 'dry-run']) {
      const { status, text } = await ada.post(`/v2/campaigns/${id}/${verb}`);
      assert.equal(status, 200, text);
    }
    assert.deepEqual((await ada.get(`/v2/campaigns/${id}/ledger`)).data.items, []);
    assert.ok(!sink.received.some(({ raw }) => String(raw).includes('Only previewed')));
  });

  await t.test('does not send a variant of an A/B test from another sender', async () => {
    const variants = [
      { id: 'a', weight: 50, subject: 'A' },
      { id: 'b', weight: 50, from: { email: 'ceo@example.com' } },
    ];
    const id = await draft({ ab_test: { variants, sample_percent: 50, metric: 'opens', selection: 'manual' } });
    await refused(ada.post(`/v2/campaigns/${id}/send`), /from ceo@example\.com/);
  });

  await t.test('does not resume, resend or approve a campaign beyond its limits, nor select its winner', async () => {
    const id = await draft({ topic: 'offers' });
    await refused(ada.post(`/v2/campaigns/${id}/resume`), /about offers/);
    await refused(ada.post(`/v2/campaigns/${id}/winner`, { variant: 'a' }), /about offers/);
    await refused(ada.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'resend' }), /about offers/);
    assert.equal((await admin.put('/v2/campaigns/settings', { approval: 'always' })).status, 200);
    const response = await admin.post(`/v2/campaigns/${id}/send`);
    assert.equal(response.data.status, 'awaiting_approval', response.text);
    await refused(ada.post(`/v2/campaigns/${id}/approve`, { revision: response.data.revision }), /about offers/);
    assert.equal(
      (await ada.post(`/v2/campaigns/${id}/reject`, { revision: response.data.revision, comment: 'Not now' })).status,
      200,
      'but reject',
    );
  });

  await t.test('with topics, sends no messages and no tests of unsaved emails, which have no topic', async () => {
    const message = { to: { email: 'ada@example.com' }, from: { email: 'news@example.com' }, content: { subject: 'Hi', text: 'Hi' } };
    await refused(ada.post('/v2/campaigns/messages', message), /without a topic/);
    await refused(ada.post('/v2/campaigns/test', { ...message, to: ['ada@example.com'] }), /without a topic/);
    const senders = admin.as({ principal_id: newId('user'), sending_limits: { topics: null, senders: ['@example.com'] } });
    assert.equal((await senders.post('/v2/campaigns/messages', message)).status, 202);
    await refused(senders.post('/v2/campaigns/messages', { ...message, from: { email: 'a@other.example' } }), /from a@other\.example/);
  });
});
