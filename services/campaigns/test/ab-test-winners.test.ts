import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { campaignsOf } from '../src/campaigns/campaigns-store.ts';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { html, variants } from './ab-test-fixtures.ts';
import { account, read, reconciliation, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1' };

type Row = { state: string; variant: string | null; reason: string | null; contact_id: string; address: string | null };

test('winners of A/B tests', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const owner = account(app);
  const people = 40;
  neighbours.contacts(owner.accountId, people, (index) => ({ email: `p${index}@${index % 2 ? 'one' : 'two'}.example` }));

  const ledger = async (id: string): Promise<Row[]> => (await owner.get(`/v2/campaigns/${id}/ledger?limit=100`)).data.items;
  const sampleSent = (id: string) =>
    eventually(async () => {
      const { ab_result } = await read(owner, id);
      return typeof ab_result?.sample_sent_at === 'string';
    });
  /** The links of the email that this address got from the campaign. */
  const linksTo = (id: string, email: string, variant: RegExp) => {
    const mail = sink
      .to(email)
      .find(({ raw }) => raw.includes(`${id}:`))
      ?.raw.toString()
      .replaceAll('=\r\n', '')
      .replaceAll('=3D', '=');
    const found = [...(mail ?? '').matchAll(/http:\/\/mail\.test(\/t\/[\w.-]+)/g)].map(([, path]) => path ?? '');
    assert.match(mail ?? '', variant);
    return [...new Set(found)];
  };

  await t.test('the sample gets the variants; after the time the best one is sent to the rest, and every number adds up', async () => {
    const test = { variants, sample_percent: 50, metric: 'clicks', duration_minutes: 60 };
    const id = await sendCampaign(owner, { html, ab_test: test });
    await sampleSent(id);
    const rows = await ledger(id);
    const waiting = rows.filter(({ state, reason }) => state === 'queued' && reason === 'awaiting_winner');
    const sample = rows.filter(({ state }) => state === 'sent');
    assert.equal(waiting.length + sample.length, people);
    assert.ok(waiting.length > 5 && sample.length > 5);
    assert.equal((await reconciliation(owner, id)).reconciles, true);
    assert.equal((await read(owner, id)).status, 'sending', 'it is not finished before the winner');

    // A recipient of B clicks and buys.
    const clicker = sample.find(({ variant }) => variant === 'b');
    const links = linksTo(id, clicker?.address ?? '', /Subject: Subject B\r\n[\s\S]*/);
    // A click within seconds of sending is a scanner's.
    const before = new Date(Date.now() - 60_000);
    await recipientsOf(parts.mongo.db).updateMany({ source_id: id, state: 'sent' }, { $set: { sent_at: before, handed_at: before } });
    for (const link of links) await app.inject({ method: 'GET', url: link, headers: browser });
    const byVariant = async () => (await owner.get(`/v2/campaigns/${id}/analytics?by=variant`)).data;
    await eventually(async () => (await byVariant()).counts.clicked.unique.human === 1);
    const event = { event: 'bought', visitor_id: null, contact_id: clicker?.contact_id ?? '', properties: {}, bot: false };
    const bought = {
      ...event,
      event_id: newId('event'),
      time: new Date(Date.now() + 1_000).toISOString(),
      value: { amount: 12.5, currency: 'EUR' },
    };
    await neighbours.publish(EventTracked, owner.accountId, bought);
    await neighbours.publish(EventTracked, owner.accountId, { ...bought, event_id: newId('event'), value: null });
    await eventually(async () => (await byVariant()).counts.conversions === 1);

    // Its time has come.
    const past = new Date(Date.now() - 1_000);
    await campaignsOf(parts.mongo.db).updateOne({ _id: id }, { $set: { test_at: past, 'ab_result.decides_at': past.toISOString() } });
    await untilStatus(owner, id, 'sent');
    const { ab_result } = await read(owner, id);
    assert.deepEqual([ab_result.winner, ab_result.selected_by, ab_result.significance], ['b', 'metric', 'not_enough_data']);
    assert.deepEqual(
      (await ledger(id)).filter(({ contact_id }) => waiting.some((row) => row.contact_id === contact_id)).map(({ variant }) => variant),
      waiting.map(() => 'b'),
    );
    const ours = sink.received.filter(({ raw }) => raw.includes(`${id}:`));
    assert.equal(ours.length, people, 'each contact got one email');
    const ofA = ours.filter(({ raw }) => raw.includes('Subject: Subject A'));

    const { counts, breakdown } = await eventually(async () => {
      const report = await byVariant();
      return report.counts.sent + report.counts.delivered === people && report;
    });
    const [a, b] = breakdown;
    assert.deepEqual(
      [counts.recipients, counts.waiting, a.counts.accepted, b.counts.accepted],
      [people, 0, ofA.length, people - ofA.length],
    );
    assert.deepEqual(
      [b.counts.clicked.unique.human, b.counts.revenue, b.rates.conversion.numerator],
      [1, [{ currency: 'EUR', amount: 12.5 }], 1],
    );
    const by = async (name: string) => (await owner.get(`/v2/campaigns/${id}/analytics?by=${name}`)).data.breakdown;
    assert.deepEqual(
      (await by('domain'))
        .map(({ domain, counts: { accepted } }: { domain: string; counts: { accepted: number } }) => [domain, accepted])
        .sort(),
      [
        ['one.example', people / 2],
        ['two.example', people / 2],
      ],
    );
    const [link] = await by('link');
    assert.deepEqual([link.variant, link.link, link.url, link.clicked.unique.human], ['b', 0, 'https://shop.example/b', 1]);
    assert.deepEqual(
      (await by('device')).map(({ device }: { device: string }) => device),
      ['desktop'],
    );

    const [hour] = (await owner.get(`/v2/campaigns/${id}/analytics?by=hour&timezone=Asia/Kolkata`)).data.breakdown;
    const inIndia = new Date(new Date(hour.hour).getTime() + 5.5 * 3_600_000).toISOString().slice(0, 16);
    assert.deepEqual([hour.local_hour, (await by('hour'))[0].local_hour], [inIndia, hour.hour.slice(0, 16)]);
    assert.equal((await owner.get(`/v2/campaigns/${id}/analytics?timezone=Mars/Olympus`)).status, 400);
    const draft = (await owner.post('/v2/campaigns', smallest)).data.id;
    const empty = await owner.get(`/v2/campaigns/${draft}/analytics/export?by=variant`);
    assert.match(empty.text, /^campaign_id,as_of,variant,[^\n]*,revenue\n$/, 'a report without lines has its header');
    const csv = await owner.get(`/v2/campaigns/${id}/analytics/export?by=variant`);
    const [head, first] = csv.text.split('\n');
    assert.match(head ?? '', /^campaign_id,as_of,variant,.*,revenue$/);
    assert.match(first ?? '', new RegExp(`^${id},[^,]+,a,`));
    const compared = (await owner.get(`/v2/campaigns/compare?ids=${id}`)).data.campaigns;
    assert.deepEqual([compared[0].campaign_id, compared[0].counts.accepted], [id, people]);
  });

  await t.test('by revenue, the variant with the most in the currency of the test wins', async () => {
    const id = await sendCampaign(owner, { html, ab_test: { variants, sample_percent: 50, metric: 'revenue', currency: 'eur' } });
    await sampleSent(id);
    const buyers = { a: 'USD', b: 'EUR' };
    const before = new Date(Date.now() - 60_000);
    await recipientsOf(parts.mongo.db).updateMany({ source_id: id, state: 'sent' }, { $set: { sent_at: before, handed_at: before } });
    for (const [variant, currency] of Object.entries(buyers)) {
      const buyer = (await ledger(id)).find((row) => row.variant === variant);
      for (const link of linksTo(id, buyer?.address ?? '', /Subject/)) await app.inject({ method: 'GET', url: link, headers: browser });
      await neighbours.publish(EventTracked, owner.accountId, {
        ...{ event: 'bought', event_id: newId('event'), visitor_id: null, contact_id: buyer?.contact_id ?? '', properties: {}, bot: false },
        ...{ time: new Date(Date.now() + 1_000).toISOString(), value: { amount: currency === 'EUR' ? 5 : 900, currency } },
      });
    }
    await eventually(async () => (await owner.get(`/v2/campaigns/${id}/analytics`)).data.counts.conversions === 2);
    const past = new Date(Date.now() - 1_000);
    await campaignsOf(parts.mongo.db).updateOne({ _id: id }, { $set: { test_at: past, 'ab_result.decides_at': past.toISOString() } });
    const { ab_result, ab_test } = await eventually(async () => {
      const campaign = await read(owner, id);
      return campaign.ab_result.winner !== null && campaign;
    });
    assert.deepEqual([ab_test.currency, ab_result.winner, ab_result.significance, ab_result.p_value], ['EUR', 'b', null, null]);
    assert.deepEqual(
      ab_result.variants.map(({ revenue }: { revenue: number }) => revenue),
      [0, 5],
    );
  });

  await t.test('a test of send times with the whole audience gets its result, by conversions, after the campaign is sent', async () => {
    const [a] = variants;
    const hourly = { sample_percent: 100, metric: 'conversions', variants: [a, { weight: 50, delay_minutes: 60 }] };
    const conversion = { event: 'signed_up', window_days: 2 };
    const id = await sendCampaign(owner, { html, ab_test: hourly, conversion });
    const early = await eventually(async () => {
      const rows = (await ledger(id)).filter(({ variant }) => variant === 'a');
      return rows.length > 0 && rows.every(({ state }) => state === 'sent') && rows;
    });
    const delayed = (await owner.get(`/v2/campaigns/${id}/ledger?state=queued&limit=100`)).data.items;
    assert.equal(early.length + delayed.length, people);
    const { frozen_at, status, ab_result: running } = await read(owner, id);
    const due = new Date(new Date(frozen_at).getTime() + 60 * 60_000).toISOString();
    assert.ok(delayed.every((row: Row & { next_at: string }) => row.variant === 'b' && row.next_at === due));
    assert.deepEqual([status, running.sample_sent_at], ['sending', null], 'the sample is not sent before its last email');
    await recipientsOf(parts.mongo.db).updateMany({ source_id: id, state: 'queued' }, { $set: { due_at: new Date() } });
    await untilStatus(owner, id, 'sent');
    await sampleSent(id);

    const before = new Date(Date.now() - 60_000);
    await recipientsOf(parts.mongo.db).updateMany({ source_id: id, state: 'sent' }, { $set: { sent_at: before, handed_at: before } });
    for (const [variant, event, days] of [
      ['a', 'signed_up', 3],
      ['a', 'bought', 0],
      ['b', 'signed_up', 1],
    ] as const) {
      const [one] = (await ledger(id)).filter((row) => row.variant === variant);
      for (const link of linksTo(id, one?.address ?? '', /Subject/)) await app.inject({ method: 'GET', url: link, headers: browser });
      await neighbours.publish(EventTracked, owner.accountId, {
        ...{ event, event_id: newId('event'), visitor_id: null, contact_id: one?.contact_id ?? '', properties: {}, bot: false },
        ...{ time: new Date(Date.now() + days * 86_400_000 + 1_000).toISOString(), value: null },
      });
    }
    await eventually(async () => (await owner.get(`/v2/campaigns/${id}/analytics`)).data.counts.conversions === 1);
    const past = new Date(Date.now() - 1_000);
    await campaignsOf(parts.mongo.db).updateOne({ _id: id }, { $set: { test_at: past, 'ab_result.decides_at': past.toISOString() } });
    const result = await eventually(async () => {
      const { ab_result } = await read(owner, id);
      return ab_result.winner !== null && ab_result;
    });
    assert.deepEqual([result.winner, result.selected_by, result.significance], ['b', 'metric', 'not_enough_data']);
    assert.deepEqual(
      result.variants.map(({ accepted, successes }: { accepted: number; successes: number }) => [accepted, successes]),
      [
        [early.length, 0],
        [delayed.length, 1],
      ],
    );
    assert.equal((await read(owner, id)).status, 'sent');
    assert.ok((await reconciliation(owner, id)).reconciles);

    const manual = await sendCampaign(owner, { html, ab_test: { ...hourly, variants, selection: 'manual' } });
    await untilStatus(owner, manual, 'sent');
    assert.equal((await owner.post(`/v2/campaigns/${manual}/winner`, { variant: 'b' })).data.ab_result?.winner, 'b');
  });

  await t.test('a winner can be selected by hand, once; a cancelled test sends nothing more', async () => {
    const ab_test = { variants, sample_percent: 40, metric: 'opens', selection: 'manual' };
    const [id, cancelled] = [await sendCampaign(owner, { html, ab_test }), await sendCampaign(owner, { html, ab_test })];
    await Promise.all([sampleSent(id), sampleSent(cancelled)]);
    assert.equal((await owner.post(`/v2/campaigns/${id}/winner`, { variant: 'z' })).status, 400);
    const select = (variant: string) => owner.post(`/v2/campaigns/${id}/winner`, { variant });
    const responses = await Promise.all([select('a'), select('b'), select('a')]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409]);
    const winner = responses.find(({ status }) => status === 200)?.data.ab_result.winner;
    await untilStatus(owner, id, 'sent');
    assert.deepEqual(
      [(await read(owner, id)).ab_result.winner, (await ledger(id)).every(({ variant }) => variant !== null)],
      [winner, true],
    );
    const sent = (await ledger(cancelled)).filter(({ state }) => state === 'sent').length;
    await owner.post(`/v2/campaigns/${cancelled}/cancel`);
    await eventually(async () => (await reconciliation(owner, cancelled)).states.skipped === people - sent);
    assert.equal((await reconciliation(owner, cancelled)).reconciles, true);
    assert.equal((await owner.post(`/v2/campaigns/${cancelled}/winner`, { variant: 'a' })).status, 409);
  });
});
