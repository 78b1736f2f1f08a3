import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageClicked, MessageComplained, MessageDelivered, MessageSent } from '@mp/contracts/events/campaigns';
import type { AccountId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { signLink } from '../src/content/links/link-token.ts';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, linkKeys, read, reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';

const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';

test('proven deliveries', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const html = '<p>Hi <a href="https://example.com/">shop</a></p>';

  /** Moves the hand-over of all emails an hour back. */
  const handOverEarlier = (accountId: AccountId) =>
    recipientsOf(parts.mongo.db).updateMany(
      { account_id: accountId, handed_at: { $exists: true } },
      { $set: { handed_at: new Date(Date.now() - 3_600_000) } },
    );

  async function follow(email: string, purpose: 'c' | 'o') {
    const mail = await sink.mailTo(email);
    const [, link = ''] = new RegExp(`"(http://mail\\.test/t/${purpose}[^"]+)"`).exec(mail?.html ?? '') ?? [];
    const { statusCode } = await app.inject({ method: 'GET', url: new URL(link).pathname, headers: { 'user-agent': browser } });
    assert.ok(statusCode === 302 || statusCode === 200);
  }

  await t.test('an unknown email that is opened or clicked becomes delivered, counts as a person and is never sent again', async () => {
    sink.behave((address) => (address.startsWith('lost') ? { drop: 'in_data', kept: true } : 'take'));
    const owner = account(app);
    const contacts = neighbours.contacts(owner.accountId, 3, (index) => ({ email: `lost${index}@example.com` }));
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    assert.equal((await reconciliation(owner, id)).states.unknown, 3);
    sink.behave(() => 'take');
    await handOverEarlier(owner.accountId);
    await follow('lost0@example.com', 'c');
    await follow('lost1@example.com', 'o');
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([states.delivered, states.unknown, reconciles], [2, 1, true]);
    const clicked = await events.next(MessageClicked, ({ data }) => data.contact_id === contacts[0]?.id);
    assert.equal(clicked.data.machine, false);
    for (const event of [MessageSent, MessageDelivered]) await events.next(event, ({ data }) => data.contact_id === contacts[0]?.id);
    const resent = await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'resend' });
    assert.equal(resent.data.resolved, 1);
    await untilStatus(owner, id, 'sent');
    assert.deepEqual(
      [0, 1, 2].map((index) => sink.to(`lost${index}@example.com`).length),
      [1, 1, 2],
    );
    const story = (await owner.get(`/v2/campaigns/${id}/messages/${contacts[0]?.id}`)).data;
    assert.deepEqual([story.recipient.state, story.engagements[0].machine], ['delivered', null]);
    assert.ok(story.recipient.sent_at !== null);
  });

  /** Opens the account's only email, whether or not the mail server has accepted it. */
  async function openAnyway(accountId: AccountId) {
    const row = await recipientsOf(parts.mongo.db).findOne({ account_id: accountId, handed_at: { $exists: true } });
    assert.ok(row);
    const token = signLink(linkKeys, { purpose: 'open', accountId, recipientId: row._id, number: 0 });
    assert.equal((await app.inject({ method: 'GET', url: `/t/${token}`, headers: { 'user-agent': browser } })).statusCode, 200);
  }

  await t.test('an email with a lost connection is unknown, even if the mail server opens it within half a minute', async () => {
    const [early, late] = [account(app), account(app)];
    const { promise: until, resolve: lose } = Promise.withResolvers<void>();
    sink.behave(() => ({ drop: 'in_data', kept: false, until }));
    const sent = await Promise.all(
      [early, late].map(async (owner) => {
        const { email } = neighbours.contact(owner.accountId, { email: `scanned-${owner.accountId.slice(-8)}@example.com` });
        const id = await sendCampaign(owner, { html });
        await eventually(async () => sink.attempts.has(email ?? '') && (await reconciliation(owner, id)).states.sending === 1);
        return id;
      }),
    );
    await handOverEarlier(late.accountId);
    for (const owner of [early, late]) await openAnyway(owner.accountId);
    lose();
    const [id = '', lateId = ''] = sent;
    await untilStatus(early, id, 'sent');
    assert.equal((await reconciliation(early, id)).states.unknown, 1);
    await openAnyway(early.accountId);
    assert.equal((await reconciliation(early, id)).states.unknown, 1, 'the mail server may still be scanning it');
    await handOverEarlier(early.accountId);
    // Repetitions within the same second count once.
    await eventually(async () => {
      await openAnyway(early.accountId);
      return (await reconciliation(early, id)).states.delivered === 1;
    });
    await untilStatus(late, lateId, 'sent');
    assert.equal((await reconciliation(late, lateId)).states.delivered, 1, 'an open after that proves delivery');
  });

  await t.test('an email queued for resending is not sent once its first copy is opened', async () => {
    const owner = account(app);
    neighbours.contact(owner.accountId, { email: 'again@example.com' });
    sink.behave((_address, attempt) => (attempt === 1 ? { drop: 'in_data', kept: true } : { rcpt: 421 }));
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'resend' });
    await eventually(async () => (sink.attempts.get('again@example.com') ?? 0) > 1);
    await eventually(async () => (await reconciliation(owner, id)).states.queued === 1);
    await handOverEarlier(owner.accountId);
    await follow('again@example.com', 'o');
    await eventually(async () => (await reconciliation(owner, id)).states.delivered === 1);
    sink.behave(() => 'take');
    await untilStatus(owner, id, 'sent');
    assert.equal(sink.to('again@example.com').length, 1);
  });

  await t.test('a deferred email is sent again, even if the mail server opened it before', async () => {
    const owner = account(app);
    neighbours.contact(owner.accountId, { email: 'looked-into@example.com' });
    const { promise: until, resolve: refuse } = Promise.withResolvers<void>();
    sink.behave(() => ({ until, data: 451 }));
    const id = await sendCampaign(owner, { html });
    await eventually(async () => sink.attempts.has('looked-into@example.com'));
    await owner.post(`/v2/campaigns/${id}/pause`);
    refuse();
    await eventually(async () => (await reconciliation(owner, id)).states.deferred === 1);
    const row = await recipientsOf(parts.mongo.db).findOne({ account_id: owner.accountId, source_id: id });
    assert.ok(row);
    const token = signLink(linkKeys, { purpose: 'open', accountId: owner.accountId, recipientId: row._id, number: 0 });
    assert.equal((await app.inject({ method: 'GET', url: `/t/${token}`, headers: { 'user-agent': browser } })).statusCode, 200);
    assert.equal((await reconciliation(owner, id)).states.deferred, 1);
    sink.behave(() => 'take');
    await owner.post(`/v2/campaigns/${id}/resume`);
    await untilStatus(owner, id, 'sent');
    assert.equal(sink.to('looked-into@example.com').length, 1);
  });

  await t.test('a sent email becomes delivered when it is opened, even if the hand-over time is unknown', async () => {
    const owner = account(app);
    neighbours.contact(owner.accountId, { email: 'restored@example.com' });
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    // Like rows that a journal or a workflow step reports as sent.
    await recipientsOf(parts.mongo.db).updateMany({ account_id: owner.accountId }, { $unset: { handed_at: '' } });
    await follow('restored@example.com', 'o');
    assert.equal((await reconciliation(owner, id)).states.delivered, 1);
  });

  await t.test('ledger, progress and analytics agree: delivered is proven, sent is accepted by the mail server', async () => {
    sink.behave((address) => (address.startsWith('no') ? { rcpt: 550, text: '5.1.1 no such user' } : 'take'));
    const owner = account(app);
    const contacts = neighbours.contacts(owner.accountId, 6, (index) => ({ email: `${index < 2 ? 'no' : 'yes'}${index}@figures.example` }));
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    const figures = async () => {
      const [progress, { states }, { data }] = [
        (await read(owner, id)).progress,
        await reconciliation(owner, id),
        await owner.get(`/v2/campaigns/${id}/analytics`),
      ];
      assert.deepEqual(progress, states);
      for (const state of ['sent', 'delivered', 'bounced', 'failed', 'complained', 'skipped', 'unknown'])
        assert.equal(data.counts[state], states[state], state);
      assert.equal(data.counts.accepted, states.sent + states.delivered + states.complained);
      return data;
    };
    const { counts, rates } = await figures();
    assert.deepEqual([counts.sent, counts.delivered, counts.accepted, counts.attempted, counts.bounced], [4, 0, 4, 6, 2]);
    assert.deepEqual([rates.acceptance.value, rates.delivery.value, rates.open.denominator], [4 / 6, 0, 4]);
    await follow('yes2@figures.example', 'o');
    await follow('yes3@figures.example', 'c');
    const proven = await figures();
    assert.deepEqual([proven.counts.sent, proven.counts.delivered, proven.counts.accepted], [2, 2, 4]);
    assert.equal((await events.next(MessageDelivered, ({ data }) => data.contact_id === contacts[2]?.id)).data.campaign_id, id);

    const complaining = contacts[4];
    assert.ok(complaining);
    const before = events.count(MessageComplained);
    const changed = await neighbours.change(owner.accountId, complaining, { status: 'complained' });
    assert.equal((await events.next(MessageComplained, ({ data }) => data.contact_id === complaining.id)).data.campaign_id, id);
    await neighbours.change(owner.accountId, changed, { first_name: 'Eve' });
    const complained = await figures();
    assert.deepEqual([complained.counts.complained, complained.counts.accepted, complained.rates.delivery.numerator], [1, 4, 3]);
    assert.equal(events.count(MessageComplained), before + 1);
  });
});
