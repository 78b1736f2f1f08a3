import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { account, quickTimings, reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

/** So long that no email to a domain that hangs ends by itself during the test. */
const deliveryMs = 3_600_000;
const message = { from: { email: 'shop@example.com' }, content: { subject: 'Receipt', html: '<p>Thanks</p>' } };

const domainOf = (address: string) => address.slice(address.indexOf('@') + 1);

test('receiving domains', async (t) => {
  const timings = { ...quickTimings, deliveryMs, domainRest: { firstMs: 2_000, maxMs: 4_000 }, slowDomainMs: 1_000 };
  const { app, neighbours, sink: first } = await startSetting(t, { SMTP_CONNECTIONS: 6, timings });
  let sink = first;
  const receivedBy = (domain: string) => sink.received.filter(({ to }) => domainOf(to) === domain);

  await t.test(
    'a domain that hangs and one that responds with 421 slow down neither the others nor messages; all get their email in the end',
    async () => {
      const rejected: string[] = [];
      sink.behave((address, attempt) => {
        if (domainOf(address) === 'hangs.example') return { stall: 'rcpt' };
        if (domainOf(address) !== 'busy.example') return 'take';
        rejected.push(address);
        return attempt % 2 === 1 ? { rcpt: 421, text: '4.7.0 too many connections' } : { rcpt: 451, text: '4.7.1 rate limit exceeded' };
      });
      const owner = account(app);
      const domains = ['hangs.example', 'busy.example', 'fine.example'];
      neighbours.contacts(owner.accountId, 90, (index) => ({ email: `p${index}@${domains[index % 3]}` }));
      const id = await sendCampaign(owner);
      await eventually(async () => receivedBy('fine.example').length === 30);
      const sent = await owner.post('/v2/campaigns/messages', { ...message, to: { email: 'buyer@fine.example' } });
      assert.equal(sent.status, 202, sent.text);
      await eventually(async () => sink.to('buyer@fine.example').length === 1);
      assert.equal(receivedBy('hangs.example').length + receivedBy('busy.example').length, 0);
      assert.ok(rejected.length < 20, `the domain that is busy was tried ${rejected.length} times`);

      await eventually(async () => (await reconciliation(owner, id)).states.sent === 30);
      const rows = (await owner.get(`/v2/campaigns/${id}/ledger?state=queued&limit=100`)).data.items;
      const waiting = rows.find(
        ({ reason, next_at }: { reason: string | null; next_at: string | null }) => reason === 'domain_unavailable' && next_at,
      );
      assert.ok(waiting, 'the ledger says why they wait');
      const { explanation } = (await owner.get(`/v2/campaigns/${id}/messages/${waiting.contact_id}`)).data;
      assert.match(explanation, /domain of the address is slow or rejects emails temporarily/);

      // The server ends the connections that hang.
      await first.close();
      sink = await startSmtpSink(t, { port: first.port });
      await untilStatus(owner, id, 'sent', 120_000);
      const settled = await reconciliation(owner, id);
      assert.deepEqual([settled.states.sent, settled.reconciles], [90, true]);
      const received = [...first.received, ...sink.received].map(({ to }) => to);
      assert.equal(new Set(received).size, received.length, 'no address received it twice');
    },
  );

  await t.test('campaigns are sent to a domain at the rate of its throttle, and messages are not', async () => {
    sink.behave(() => 'take');
    const owner = account(app);
    const domain_throttles = [{ side: 'receiving', domain: 'Slow.example', per_minute: 240 }];
    const settings = await owner.put('/v2/campaigns/settings', { domain_throttles });
    assert.deepEqual(settings.data.domain_throttles, [{ side: 'receiving', domain: 'slow.example', per_minute: 240 }]);
    neighbours.contacts(owner.accountId, 40, (index) => ({ email: `q${index}@${index < 20 ? 'slow.example' : 'quick.example'}` }));
    const began = Date.now();
    const id = await sendCampaign(owner);
    assert.equal((await owner.post('/v2/campaigns/messages', { ...message, to: { email: 'now@slow.example' } })).status, 202);
    await untilStatus(owner, id, 'sent', 120_000);
    const slow = receivedBy('slow.example').filter(({ to }) => to.startsWith('q'));
    assert.equal(slow.length, 20);
    // 4 per second, and at most half a second ahead. Late emails are acceptable.
    for (const [index, { at }] of slow.entries())
      assert.ok(index <= 1 + (at - began + 500) / 250, `email ${index} came after ${at - began} ms`);
    const last = slow.at(-1)?.at ?? 0;
    assert.ok(
      receivedBy('quick.example').every(({ at }) => at < last),
      'the other domain did not wait',
    );
    const [now] = sink.to('now@slow.example');
    assert.ok(now && now.at < last, 'nor did the message');
    assert.ok((await reconciliation(owner, id)).reconciles);
  });

  await t.test('a throttle of a sending domain slows down its campaigns, and neither those of other domains nor messages', async () => {
    const owner = account(app);
    const domain_throttles = [{ side: 'sending', domain: 'news.example', per_minute: 2 }];
    assert.equal((await owner.put('/v2/campaigns/settings', { domain_throttles })).status, 200);
    neighbours.contacts(owner.accountId, 10, (index) => ({ email: `s${index}@to${index}.example` }));
    const began = Date.now();
    const slow = await sendCampaign(owner, { from: { email: 'a@news.example' } });
    const quick = await sendCampaign(owner, { from: { email: 'a@other.example' } });
    const receipt = { ...message, from: { email: 'a@news.example' }, to: { email: 'now@s.example' } };
    assert.equal((await owner.post('/v2/campaigns/messages', receipt)).status, 202);
    await untilStatus(owner, quick, 'sent', 120_000);
    await eventually(async () => sink.to('now@s.example').length === 1);
    const of = (id: string) => sink.received.filter(({ raw }) => raw.includes(`${id}:`)).map(({ at }) => at);
    assert.equal(of(quick).length, 10);
    for (const [index, at] of of(slow).entries())
      assert.ok(index <= 1 + (at - began + 500) / 30_000, `email ${index} came after ${at - began} ms`);
    assert.equal((await owner.post(`/v2/campaigns/${slow}/cancel`)).status, 200);
  });

  await t.test('throttles of domains are validated', async () => {
    const owner = account(app);
    const put = async (...domain_throttles: object[]) =>
      (await owner.put('/v2/campaigns/settings', { domain_throttles })).error?.details[0].path;
    const throttle = { side: 'sending', domain: 'a.example', per_minute: 10 };
    assert.equal(await put({ ...throttle, domain: 'nowhere' }), '/domain_throttles/0/domain');
    assert.equal(await put({ ...throttle, per_minute: 0 }), '/domain_throttles/0/per_minute');
    assert.equal(await put(throttle, { ...throttle, domain: 'A.example' }), '/domain_throttles');
    assert.equal(await put(throttle, { ...throttle, side: 'receiving' }), undefined);
  });
});

test('an email that has waited too long for its domain fails, and its campaign ends', async (t) => {
  const timings = { ...quickTimings, domainRest: { firstMs: 200, maxMs: 400 }, maxDomainWaitMs: 2_000 };
  const { app, neighbours, sink } = await startSetting(t, { SMTP_CONNECTIONS: 6, timings });
  sink.behave((address) => (domainOf(address) === 'gone.example' ? { rcpt: 451, text: '4.4.1 no answer from host' } : 'take'));
  const owner = account(app);
  neighbours.contacts(owner.accountId, 60, (index) => ({ email: `r${index}@${index < 20 ? 'fine.example' : 'gone.example'}` }));
  const id = await sendCampaign(owner);
  await untilStatus(owner, id, 'sent', 120_000);
  const { states, reconciles } = await reconciliation(owner, id);
  assert.deepEqual([states.sent, states.failed, reconciles], [20, 40, true]);
  const { items } = (await owner.get(`/v2/campaigns/${id}/ledger?state=failed&limit=100`)).data;
  const waited = items.filter(({ reason }: { reason: string }) => reason === 'domain_unavailable');
  assert.ok(waited.length > 0, 'some waited and were not tried again');
  const { explanation } = (await owner.get(`/v2/campaigns/${id}/messages/${waited[0].contact_id}`)).data;
  assert.match(explanation, /for too long \(5 days\)/);
});
