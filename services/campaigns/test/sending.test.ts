import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suppressionHash } from '@mp/contracts/contact';
import { MessageBounced, MessageSent } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { account, reconciliation, sendCampaign, sendSoon, smallest, startSetting, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

/** The number that `routesOnly` configures. */
const connections = 2;

test('sending', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const story = async (owner: ReturnType<typeof account>, id: string, contactId: string) =>
    (await owner.get(`/v2/campaigns/${id}/messages/${contactId}`)).data;

  /** Schedules a campaign whose time comes while the other subtests run. */
  async function schedule() {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 2);
    const create = async () => (await owner.post('/v2/campaigns', smallest)).data.id;
    const id = await create();
    const at = await sendSoon(owner, id, 2_000);
    return { owner, create, id, at };
  }

  await t.test('maps every response of the mail server to its state, and the states add up', async () => {
    sink.behave((address, attempt) => {
      if (address.startsWith('hard')) return { rcpt: 550, text: '5.1.1 no such user' };
      if (address.startsWith('policy')) return { rcpt: 550, text: '5.7.1 not today' };
      if (address.startsWith('spam')) return { data: 554 };
      if (address.startsWith('later')) return attempt < 3 ? { rcpt: 451 } : 'take';
      if (address.startsWith('never')) return { data: 452 };
      if (address.startsWith('dropped')) return { drop: 'in_data', kept: true };
      return 'take';
    });
    const owner = account(app);
    const names = ['fine', 'hard', 'policy', 'spam', 'later', 'never', 'dropped'];
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
    });
    assert.equal((await story(owner, id, idOf('later'))).recipient.attempts, 3);
    assert.match((await story(owner, id, idOf('hard'))).explanation, /undeliverable.*5\.1\.1 no such user/);
    const { data: bounced } = await events.next(MessageBounced, ({ data }) => data.contact_id === idOf('hard'));
    assert.deepEqual([bounced.hard, bounced.address_hash], [true, suppressionHash(owner.accountId, 'email', 'hard@example.com')]);
    assert.equal((await events.next(MessageBounced, ({ data }) => data.contact_id === idOf('policy'))).data.hard, false);
    await events.next(MessageSent, ({ data }) => data.contact_id === idOf('later'));
    assert.deepEqual((await reconciliation(owner, id)).states, {
      ...{ queued: 0, sending: 0, deferred: 0, delivered: 0, complained: 0, skipped: 0 },
      ...{ sent: 2, bounced: 1, failed: 3, unknown: 1 },
    });
    const metrics = await parts.metrics.registry.metrics();
    // Emails, not attempts: the two that were deferred three times each count once.
    for (const [state, count] of Object.entries({ sent: 2, bounced: 1, failed: 3, unknown: 1, deferred: 2 }))
      assert.match(metrics, new RegExp(`^campaign_messages_total\\{state="${state}",service="campaigns"\\} ${count}$`, 'm'));
    assert.doesNotMatch(metrics, /campaign_messages_total\{state="(queued|sending)"/);
    for (const [outcome, count] of Object.entries({ accepted: 2, deferred: 6, refused: 3, uncertain: 1, unreachable: 0 }))
      assert.match(metrics, new RegExp(`^campaign_delivery_attempts_total\\{outcome="${outcome}",service="campaigns"\\} ${count}$`, 'm'));

    sink.behave(() => 'take');
    const again = await sendCampaign(owner);
    await untilStatus(owner, again, 'sent');
    assert.equal((await story(owner, again, idOf('hard'))).recipient.reason, 'bounced_before', 'a bounced address is not emailed again');

    const left = await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'resend' });
    assert.deepEqual([left.status, left.data.resolved, left.data.campaign.status], [200, 1, 'sending']);
    await untilStatus(owner, id, 'sent');
    const copies = sink.to('dropped@example.com').map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw.toString())?.[1]);
    assert.ok(copies[0] !== undefined && copies[0] === copies.at(-1) && copies.length === 3, 'the second copy has the same Message-ID');
    assert.equal((await reconciliation(owner, id)).states.unknown, 0);
    assert.equal((await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'leave' })).data.resolved, 0);
  });

  const scheduled = await schedule();

  await t.test('pausing stops sending, resuming continues from the ledger, and cancelling skips the rest', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 100, (index) => ({ email: `paused${index}@example.com` }));
    const received = () => sink.received.filter(({ to }) => to.startsWith('paused'));
    /** From the nth email on, the mail server waits until the returned function is called. */
    function holdFrom(nth: number) {
      const { promise, resolve } = Promise.withResolvers<void>();
      sink.behave((address) => (address.startsWith('paused') && received().length >= nth ? { until: promise } : 'take'));
      return resolve;
    }
    /** Sends another account's campaign, after which the workers have refreshed. */
    async function sendAnother() {
      const other = account(app);
      neighbours.contacts(other.accountId, 1);
      await untilStatus(other, await sendCampaign(other), 'sent');
    }
    const steer = (what: string) => owner.post(`/v2/campaigns/${id}/${what}`);

    const goOn = holdFrom(10);
    const id = await sendCampaign(owner);
    await eventually(async () => received().length === 10);
    assert.equal((await steer('pause')).data.status, 'paused');
    goOn();
    await sendAnother();
    await eventually(async () => (await reconciliation(owner, id)).states.sending === 0);
    const atPause = received().length;
    await sendAnother();
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([reconciles, states.sent, received().length], [true, atPause, atPause]);
    assert.ok(states.queued > 50, `${states.queued} left: it was paused on the way`);
    assert.equal((await steer('pause')).error.code, 'INVALID_STATE');

    const end = holdFrom(atPause + 10);
    assert.equal((await steer('resume')).data.status, 'sending');
    await eventually(async () => received().length === atPause + 10);
    assert.equal((await steer('cancel')).data.status, 'cancelled');
    end();
    const ended = await eventually(async () => {
      const now = await reconciliation(owner, id);
      return now.states.queued + now.states.sending === 0 && now;
    });
    assert.deepEqual([ended.reconciles, ended.states.sent + ended.states.skipped, ended.states.sent], [true, 100, received().length]);
    assert.ok(ended.states.skipped > 30, `${ended.states.skipped} skipped: it was cancelled on the way`);
    assert.equal(new Set(received().map(({ to }) => to)).size, received().length, 'no address received it twice');
    assert.equal((await steer('resume')).status, 409);
  });

  await t.test('an email is sending only while it has a connection, which bounds the unknown ones after a crash', async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    sink.behave((address) => (address.startsWith('held') ? { until } : 'take'));
    const owner = account(app);
    neighbours.contacts(owner.accountId, 40, (index) => ({ email: `held${index}@example.com` }));
    const id = await sendCampaign(owner);
    const held = () => [...sink.attempts.keys()].filter((to) => to.startsWith('held')).length;
    await eventually(async () => held() === connections);
    // The rest of the batch is ready and waits.
    const states = await eventually(async () => {
      const found = (await reconciliation(owner, id)).states;
      return found.sending >= connections && found;
    });
    assert.deepEqual([states.sending, states.queued], [connections, 40 - connections]);
    goOn();
    await untilStatus(owner, id, 'sent');
  });

  await t.test('checks consent again just before sending', async () => {
    const { promise: until, resolve: respond } = Promise.withResolvers<void>();
    sink.behave((address) => (address === 'consent4@example.com' ? { data: 451, until } : 'take'));
    const owner = account(app);
    const contacts = neighbours.contacts(owner.accountId, 5, (index) => ({ email: `consent${index}@example.com` }));
    const last = contacts.at(-1);
    assert.ok(last);
    const id = await sendCampaign(owner);
    await eventually(async () => sink.attempts.has(last.email ?? ''));
    await neighbours.change(owner.accountId, last, {
      consent: { email: { status: 'unsubscribed', at: new Date().toISOString(), method: 'api' }, sms: null },
    });
    await eventually(async () => (await owner.post(`/v2/campaigns/${id}/dry-run`)).data.would_send === 4);
    respond();
    await eventually(async () => (await story(owner, id, last.id)).recipient.state === 'skipped');
    sink.behave(() => 'take');
    await untilStatus(owner, id, 'sent');
    assert.equal((await story(owner, id, last.id)).recipient.reason, 'unsubscribed');
    assert.equal(sink.received.filter(({ to }) => to.startsWith('consent')).length, 4);
  });

  await t.test('respects the throttle', async () => {
    sink.behave(() => 'take');
    const owner = account(app);
    neighbours.contacts(owner.accountId, 40, (index) => ({ email: `even${index}@example.com` }));
    const began = Date.now();
    const id = await sendCampaign(owner, { throttle_per_minute: 1_200 });
    await untilStatus(owner, id, 'sent');
    // 20 per second, and at most half a second ahead. Late emails are acceptable.
    const received = sink.received.filter(({ to }) => to.startsWith('even'));
    assert.equal(received.length, 40);
    for (const [index, { at }] of received.entries())
      assert.ok(index <= 1 + (at - began + 500) / 50, `message ${index} came after ${at - began} ms`);
  });

  await t.test("one account's large campaign does not delay another's", async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    sink.behave(() => ({ until }));
    const [large, small] = [account(app), account(app)];
    neighbours.contacts(large.accountId, 1_000, (index) => ({ email: `large${index}@example.com` }));
    neighbours.contacts(small.accountId, 5, (index) => ({ email: `small${index}@example.com` }));
    const big = await sendCampaign(large);
    await eventually(async () => [...sink.attempts.keys()].some((to) => to.startsWith('large')));
    const id = await sendCampaign(small);
    await untilStatus(small, id, 'sending');
    sink.behave(() => ({ slowMs: 2 }));
    goOn();
    await untilStatus(small, id, 'sent', 120_000);
    assert.equal((await large.post(`/v2/campaigns/${big}/cancel`)).data.status, 'cancelled');
    const before = sink.received.findLastIndex(({ to }) => to.startsWith('small'));
    const ahead = sink.received.slice(0, before).filter(({ to }) => to.startsWith('large')).length;
    assert.ok(ahead < 800, `${ahead} emails of the large campaign came first: more than are in progress and sent until the next refresh`);
  });

  await t.test('starts a campaign at its scheduled time, and can cancel it before', async () => {
    sink.behave(() => 'take');
    const later = await scheduled.create();
    const inAnHour = { schedule_at: new Date(Date.now() + 3_600_000).toISOString() };
    assert.equal((await scheduled.owner.post(`/v2/campaigns/${later}/send`, inAnHour)).status, 202);
    assert.equal((await scheduled.owner.post(`/v2/campaigns/${later}/cancel`)).data.status, 'cancelled');
    const sent = await untilStatus(scheduled.owner, scheduled.id, 'sent');
    assert.ok(new Date(sent.frozen_at) >= scheduled.at && sent.progress.sent === 2);
    assert.equal((await scheduled.owner.post(`/v2/campaigns/${scheduled.id}/send`, {})).error.code, 'INVALID_STATE');
    const past = { schedule_at: '2020-01-01T00:00:00Z' };
    assert.equal((await scheduled.owner.post(`/v2/campaigns/${await scheduled.create()}/send`, past)).status, 400);
  });

  await t.test('an empty audience finishes at once; a missing segment is rejected', async () => {
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

  await t.test('no email is lost while the mail server is unavailable or closing connections', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 30, (index) => ({ email: `away${index}@example.com` }));
    await sink.close();
    const id = await sendCampaign(owner);
    await untilStatus(owner, id, 'sending');
    await eventually(async () => (await reconciliation(owner, id)).states.queued === 30);
    const back = await startSmtpSink(t, { port: sink.port, behave: () => ({ rcpt: 421 }) });
    // Only this campaign: if an earlier subtest timed out, its emails arrive here too.
    const own = (to: string) => to.startsWith('away');
    await eventually(async () => [...back.attempts.keys()].some(own));
    assert.deepEqual([(await reconciliation(owner, id)).reconciles, back.received.length], [true, 0]);
    back.behave(() => 'take');
    await untilStatus(owner, id, 'sent');
    const { states } = await reconciliation(owner, id);
    assert.deepEqual([states.sent, states.unknown, states.failed], [30, 0, 0]);
    const received = back.received.map(({ to }) => to).filter(own);
    assert.deepEqual([received.length, new Set(received).size], [30, 30]);
  });
});
