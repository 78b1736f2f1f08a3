import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { account, reconciliation, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

type Row = { state: string; reason: string | null; contact_id: string };

test('a hold-out group', async (t) => {
  const { app, neighbours, sink } = await startSetting(t);
  const owner = account(app);
  const people = 60;
  const unsubscribed = 4;
  neighbours.contacts(owner.accountId, people, (index) => ({
    email: `h${index}@holdout.example`,
    ...(index < unsubscribed && { consent: { email: null, sms: null } }),
  }));
  const ledger = async (id: string): Promise<Row[]> => (await owner.get(`/v2/campaigns/${id}/ledger?limit=100`)).data.items;
  const holdout = async (id: string) => (await owner.get(`/v2/campaigns/${id}/analytics`)).data.holdout;
  const buys = (contact_id: string, event_id = newId('event')) =>
    neighbours.publish(EventTracked, owner.accountId, {
      ...{ event: 'bought', event_id, visitor_id: null, contact_id, properties: {}, bot: false },
      ...{ time: new Date(Date.now() + 1_000).toISOString(), value: { amount: 10, currency: 'EUR' } },
    });

  await t.test('needs a share from 1 to 90 percent, and null removes it', async () => {
    for (const holdout_percent of [0, 91, 12.5]) {
      const { status, error } = await owner.post('/v2/campaigns', { ...smallest, holdout_percent });
      assert.deepEqual([status, error.details[0].path], [400, '/holdout_percent']);
    }
    const { id } = (await owner.post('/v2/campaigns', { ...smallest, holdout_percent: 10 })).data;
    assert.equal((await owner.put(`/v2/campaigns/${id}`, (await owner.get(`/v2/campaigns/${id}`)).data)).data.holdout_percent, 10);
    assert.equal((await owner.put(`/v2/campaigns/${id}`, { holdout_percent: null })).data.holdout_percent, null);
    assert.equal(await holdout(id), null);
  });

  await t.test('is predicted by a dry run', async () => {
    const { id } = (await owner.post('/v2/campaigns', { ...smallest, holdout_percent: 50 })).data;
    const { would_send, skipped } = (await owner.post(`/v2/campaigns/${id}/dry-run`)).data;
    const heldOut = skipped.find(({ reason }: { reason: string }) => reason === 'held_out').count;
    assert.ok(would_send > 5 && heldOut > 5, `${would_send} ${heldOut}`);
    assert.equal(would_send + heldOut + unsubscribed, people);
  });

  await t.test('gets nothing, and the report compares what both groups did, clicked or not', async () => {
    const id = await sendCampaign(owner, { holdout_percent: 50 });
    await untilStatus(owner, id, 'sent');
    const rows = await ledger(id);
    const emailed = rows.filter(({ state }) => state === 'sent');
    const heldOut = rows.filter(({ reason }) => reason === 'held_out');
    const others = rows.filter((row) => !emailed.includes(row) && !heldOut.includes(row));
    assert.ok(emailed.length > 5 && heldOut.length > 5);
    assert.equal(others.length, unsubscribed, 'contacts that cannot be emailed are in neither group');
    assert.ok(heldOut.every(({ state }) => state === 'skipped'));
    assert.equal(sink.received.length, emailed.length);

    for (const { contact_id } of emailed.slice(0, 4)) await buys(contact_id);
    await buys(heldOut[0]?.contact_id ?? '');
    await buys(others[0]?.contact_id ?? '');
    const twice = newId('event');
    for (const _ of [1, 2]) await buys(emailed[0]?.contact_id ?? '', twice);
    const report = await eventually(async () => {
      const now = await holdout(id);
      return now.emailed.conversions === 5 && now.held_out.conversions === 1 && now;
    });
    const rates = { emailed: 4 / emailed.length, held_out: 1 / heldOut.length };
    assert.deepEqual(report, {
      percent: 50,
      window_days: 7,
      emailed: {
        ...{ recipients: emailed.length, converted: 4, conversions: 5, conversion_rate: rates.emailed },
        revenue: [{ currency: 'EUR', amount: 50 }],
      },
      held_out: {
        ...{ recipients: heldOut.length, converted: 1, conversions: 1, conversion_rate: rates.held_out },
        revenue: [{ currency: 'EUR', amount: 10 }],
      },
      lift: rates.emailed / rates.held_out - 1,
      ...{ significance: 'not_enough_data', p_value: null },
    });
    const { counts } = (await owner.get(`/v2/campaigns/${id}/analytics`)).data;
    assert.equal(counts.conversions, 0, 'a conversion of the email needs a click');
    assert.equal((await reconciliation(owner, id)).reconciles, true);
  });

  await t.test('is the same share of every variant of an A/B test, and of those that get the winner', async () => {
    const variants = [
      { weight: 50, subject: 'A' },
      { weight: 50, subject: 'B' },
    ];
    const ab_test = { variants, sample_percent: 50, metric: 'opens', selection: 'manual' };
    const id = await sendCampaign(owner, { holdout_percent: 40, ab_test });
    await eventually(async () => typeof (await owner.get(`/v2/campaigns/${id}`)).data.ab_result?.sample_sent_at === 'string');
    const ofSample = (await ledger(id)).filter(({ reason }) => reason === 'held_out').length;
    assert.equal((await owner.post(`/v2/campaigns/${id}/winner`, { variant: 'b' })).status, 200);
    await untilStatus(owner, id, 'sent');
    const rows = await ledger(id);
    const heldOut = rows.filter(({ reason }) => reason === 'held_out').length;
    assert.ok(ofSample > 0 && heldOut > ofSample, `${ofSample} of ${heldOut}`);
    assert.equal(rows.filter(({ state }) => state === 'sent').length, people - unsubscribed - heldOut);
  });
});
