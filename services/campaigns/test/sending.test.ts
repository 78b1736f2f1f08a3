import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suppressionHash } from '@mp/contracts/contact';
import { MessageBounced, MessageSent } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { account, read, reconciliation, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

test('sending', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const story = async (owner: ReturnType<typeof account>, id: string, contactId: string) =>
    (await owner.get(`/v2/campaigns/${id}/messages/${contactId}`)).data;

  await t.test('every answer of the mail server has its own state, and the sum holds', async () => {
    sink.behave((address, attempt) => {
      if (address.startsWith('hard')) return { rcpt: 550, text: '5.1.1 no such user' };
      if (address.startsWith('policy')) return { rcpt: 550, text: '5.7.1 not today' };
      if (address.startsWith('spam')) return { data: 554 };
      if (address.startsWith('later')) return attempt < 3 ? { rcpt: 451 } : 'take';
      if (address.startsWith('never')) return { data: 452 };
      if (address.startsWith('dropped')) return { drop: 'in_data', kept: true };
      if (address.startsWith('stalled')) return { stall: 'data' };
      return 'take';
    });
    const owner = account(app);
    const names = ['fine', 'hard', 'policy', 'spam', 'later', 'never', 'dropped', 'stalled'];
    const contacts = new Map(names.map((name) => [name, neighbours.contact(owner.accountId, { email: `${name}@example.com` })]));
    const idOf = (name: string) => contacts.get(name)?.id ?? '';
    const id = await sendCampaign(owner);
    await untilStatus(owner, id, 'sent');

    const states = await Promise.all(names.map(async (name) => [name, (await story(owner, id, idOf(name))).recipient.state]));
    assert.deepEqual(Object.fromEntries(states), {
      fine: 'sent',
      hard: 'bounced',
      policy: 'failed',
      spam: 'failed',
      later: 'sent',
      never: 'failed',
      dropped: 'unknown',
      stalled: 'unknown',
    });
    assert.equal((await story(owner, id, idOf('later'))).recipient.attempts, 3);
    assert.match((await story(owner, id, idOf('hard'))).explanation, /not deliverable.*5\.1\.1 no such user/);
    const { data: bounced } = await events.next(MessageBounced, ({ data }) => data.contact_id === idOf('hard'));
    assert.deepEqual([bounced.hard, bounced.address_hash], [true, suppressionHash(owner.accountId, 'email', 'hard@example.com')]);
    assert.equal((await events.next(MessageBounced, ({ data }) => data.contact_id === idOf('policy'))).data.hard, false);
    await events.next(MessageSent, ({ data }) => data.contact_id === idOf('later'));
    assert.deepEqual((await reconciliation(owner, id)).states, {
      ...{ queued: 0, sending: 0, deferred: 0, delivered: 0, complained: 0, skipped: 0 },
      ...{ sent: 2, bounced: 1, failed: 3, unknown: 2 },
    });
    const metrics = await parts.metrics.registry.metrics();
    for (const [state, count] of Object.entries({ sent: 2, bounced: 1, failed: 3, unknown: 2 }))
      assert.match(metrics, new RegExp(`^campaign_messages_total\\{state="${state}",service="campaigns"\\} ${count}$`, 'm'));

    sink.behave(() => 'take');
    const again = await sendCampaign(owner);
    await untilStatus(owner, again, 'sent');
    assert.equal((await story(owner, again, idOf('hard'))).recipient.reason, 'bounced_before', 'a bounced address is left alone');

    const left = await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'resend' });
    assert.deepEqual([left.status, left.data.resolved, left.data.campaign.status], [200, 2, 'sending']);
    await untilStatus(owner, id, 'sent');
    const copies = sink.to('dropped@example.com').map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw.toString())?.[1]);
    assert.ok(
      copies[0] !== undefined && copies[0] === copies.at(-1) && copies.length === 3,
      'the second copy can be told by its Message-ID',
    );
    assert.equal((await reconciliation(owner, id)).states.unknown, 0);
    assert.equal((await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'leave' })).data.resolved, 0);
  });

  await t.test('pausing stops new messages within a second; resuming goes on where the ledger is; cancelling skips the rest', async () => {
    sink.behave(() => ({ slowMs: 20 }));
    const owner = account(app);
    neighbours.contacts(owner.accountId, 300);
    const before = sink.received.length;
    const id = await sendCampaign(owner);
    await eventually(async () => sink.received.length > before + 10);
    assert.equal((await owner.post(`/v2/campaigns/${id}/pause`)).data.status, 'paused');
    const pausedAt = Date.now();
    await eventually(async () => (await reconciliation(owner, id)).states.sending === 0);
    await eventually(async () => Date.now() - pausedAt > 1_000);
    const atPause = sink.received.length;
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([reconciles, states.sent], [true, atPause - before]);
    assert.ok(states.queued > 0, 'it was paused on the way');
    assert.ok(sink.received.slice(before).every(({ at }) => at < pausedAt + 1_000));
    assert.equal((await owner.post(`/v2/campaigns/${id}/pause`)).error.code, 'INVALID_STATE');
    assert.equal((await owner.post(`/v2/campaigns/${id}/resume`)).data.status, 'sending');
    await eventually(async () => sink.received.length > atPause + 10);
    assert.equal((await owner.post(`/v2/campaigns/${id}/cancel`)).data.status, 'cancelled');
    const end = await eventually(async () => {
      const now = await reconciliation(owner, id);
      return now.states.queued + now.states.sending === 0 && now;
    });
    assert.deepEqual([end.reconciles, end.states.sent + end.states.skipped, end.states.sent], [true, 300, sink.received.length - before]);
    assert.equal(new Set(sink.received.slice(before).map(({ to }) => to)).size, sink.received.length - before, 'nobody got it twice');
    assert.equal((await owner.post(`/v2/campaigns/${id}/resume`)).status, 409);
  });

  await t.test('consent is read again at the moment of sending', async () => {
    sink.behave(() => ({ slowMs: 5 }));
    const owner = account(app);
    const contacts = neighbours.contacts(owner.accountId, 60);
    const last = contacts.at(-1);
    assert.ok(last);
    const before = sink.received.length;
    const id = await sendCampaign(owner, { throttle_per_minute: 1_200 });
    await eventually(async () => (await read(owner, id)).status === 'sending');
    await neighbours.change(owner.accountId, last, {
      consent: { email: { status: 'unsubscribed', at: new Date().toISOString(), method: 'api' }, sms: null },
    });
    await untilStatus(owner, id, 'sent');
    assert.equal((await story(owner, id, last.id)).recipient.reason, 'unsubscribed');
    assert.equal(sink.received.slice(before).filter(({ to }) => to === last.email).length, 0);
  });

  await t.test('a throttle is kept', async () => {
    sink.behave(() => 'take');
    const owner = account(app);
    neighbours.contacts(owner.accountId, 40);
    const before = sink.received.length;
    const id = await sendCampaign(owner, { throttle_per_minute: 1_200 });
    await untilStatus(owner, id, 'sent');
    const times = sink.received.slice(before).map(({ at }) => at);
    const took = Math.max(...times) - Math.min(...times);
    // 20 a second, and at most half a second's worth ahead.
    assert.ok(took >= 1_300, `40 messages took ${took} ms`);
    for (const from of times) assert.ok(times.filter((at) => at >= from && at < from + 500).length <= 22);
  });

  await t.test("one account's large campaign does not hold up another's", async () => {
    sink.behave(() => ({ slowMs: 15 }));
    const [large, small] = [account(app), account(app)];
    neighbours.contacts(large.accountId, 600, (index) => ({ email: `large${index}@example.com` }));
    neighbours.contacts(small.accountId, 5, (index) => ({ email: `small${index}@example.com` }));
    const big = await sendCampaign(large);
    await eventually(async () => sink.received.filter(({ to }) => to.startsWith('large')).length > 20);
    const id = await sendCampaign(small);
    await untilStatus(small, id, 'sent');
    assert.equal((await read(large, big)).status, 'sending');
    await large.post(`/v2/campaigns/${big}/cancel`);
  });

  await t.test('a campaign begins when it is scheduled, and can be called off before', async () => {
    sink.behave(() => 'take');
    const owner = account(app);
    neighbours.contacts(owner.accountId, 2);
    const create = async () => (await owner.post('/v2/campaigns', smallest)).data.id;
    const [soon, later] = [await create(), await create()];
    const at = new Date(Date.now() + 700);
    assert.equal((await owner.post(`/v2/campaigns/${soon}/send`, { schedule_at: at.toISOString() })).data.status, 'scheduled');
    assert.equal(
      (await owner.post(`/v2/campaigns/${later}/send`, { schedule_at: new Date(Date.now() + 600_000).toISOString() })).status,
      202,
    );
    assert.equal((await owner.post(`/v2/campaigns/${later}/cancel`)).data.status, 'cancelled');
    const sent = await untilStatus(owner, soon, 'sent');
    assert.ok(new Date(sent.frozen_at) >= at && sent.progress.sent === 2);
    assert.equal((await owner.post(`/v2/campaigns/${soon}/send`, {})).error.code, 'INVALID_STATE');
    assert.equal((await owner.post(`/v2/campaigns/${await create()}/send`, { schedule_at: '2020-01-01T00:00:00Z' })).status, 400);
  });

  await t.test('sending names segments that are gone; an empty audience ends at once', async () => {
    const owner = account(app);
    const body = { ...smallest, audience: { include: [neighbours.segment(owner.accountId, [])] } };
    const { data } = await owner.post('/v2/campaigns', body);
    await owner.post(`/v2/campaigns/${data.id}/send`);
    const sent = await untilStatus(owner, data.id, 'sent');
    assert.equal(sent.audience_count, 0);
    assert.equal((await owner.get(`/v2/campaigns/${data.id}/analytics`)).data.rates.delivery.value, null);
    const foreign = neighbours.segment(newId('account'), []);
    assert.equal((await owner.post('/v2/campaigns', { ...body, audience: { include: [foreign] } })).status, 400);
  });

  await t.test('a mail server that is away or closing costs nobody their mail', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 30);
    await sink.close();
    const id = await sendCampaign(owner);
    await untilStatus(owner, id, 'sending');
    await eventually(async () => (await reconciliation(owner, id)).states.queued === 30);
    const back = await startSmtpSink(t, { port: sink.port, behave: () => ({ rcpt: 421 }) });
    await eventually(async () => back.attempts.size > 0);
    assert.deepEqual([(await reconciliation(owner, id)).reconciles, back.received.length], [true, 0]);
    back.behave(() => 'take');
    await untilStatus(owner, id, 'sent', 30_000);
    const { states } = await reconciliation(owner, id);
    assert.deepEqual([states.sent, states.unknown, states.failed], [30, 0, 0]);
    assert.deepEqual([back.received.length, new Set(back.received.map(({ to }) => to)).size], [30, 30]);
  });
});
