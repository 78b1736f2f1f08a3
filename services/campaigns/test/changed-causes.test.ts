import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, quickTimings, read, reconciliation, sendCampaign, sendSoon, smallest, startSetting, untilStatus } from './setting.ts';

const hourMs = 3_600_000;
const settingsPath = '/v2/campaigns/settings';

/** Quiet hours in UTC that began an hour ago. */
const quietFor = (hours: number) => {
  const clock = (fromNow: number) => new Date(Date.now() + fromNow * hourMs).toISOString().slice(11, 16);
  return { from: clock(-1), to: clock(hours), timezone: 'UTC' };
};

type Owner = ReturnType<typeof account>;

test('emails that wait follow a change of what they wait for', async (t) => {
  const timings = { ...quickTimings, retry: { ...quickTimings.retry, firstMs: hourMs, maxMs: hourMs } };
  const { app, neighbours, parts, sink } = await startSetting(t, { SMTP_CONNECTIONS: 6, timings });

  const rowsOf = async (owner: Owner, id: string): Promise<{ state: string; reason: string | null; next_at: string | null }[]> =>
    (await owner.get(`/v2/campaigns/${id}/ledger`)).data.items;
  const waitsFor = (owner: Owner, id: string, reason: string) =>
    eventually(async () => {
      const rows = await rowsOf(owner, id);
      return rows.length > 0 && rows.every((row) => row.reason === reason) && rows;
    });
  const put = async (owner: Owner, settings: object) => assert.equal((await owner.put(settingsPath, settings)).status, 200);
  const isComplete = async (owner: Owner, id: string, sent: number) => {
    await untilStatus(owner, id, 'sent');
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([states.sent, reconciles], [sent, true]);
  };

  await t.test('quiet hours: new ones hold emails, changed ones hold them until the new end, and removed ones release them', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 3, (index) => ({ email: `p${index}@quiet.example` }));
    await put(owner, { quiet_hours: quietFor(2) });
    const id = await sendCampaign(owner);
    const before = await waitsFor(owner, id, 'quiet_hours');
    await put(owner, { quiet_hours: quietFor(4) });
    await eventually(async () => (await rowsOf(owner, id)).every(({ next_at }) => next_at && next_at > (before[0]?.next_at ?? '')));
    const shorter = quietFor(3);
    await put(owner, { quiet_hours: shorter });
    await eventually(async () => (await rowsOf(owner, id)).every(({ next_at }) => next_at?.slice(11, 16) === shorter.to));
    assert.equal(sink.to('p0@quiet.example').length, 0);
    await put(owner, { quiet_hours: null });
    await isComplete(owner, id, 3);
  });

  await t.test('quiet hours hold the emails of workflows, and release them', async () => {
    const owner = account(app);
    await put(owner, { quiet_hours: quietFor(2) });
    const contact = neighbours.contact(owner.accountId, { email: 'run@quiet.example' });
    const workflow_id = newId('workflow');
    await neighbours.publish(SendEffectRequested, owner.accountId, {
      effect_key: `${newId('run')}:1`,
      run_id: newId('run'),
      workflow_id,
      contact_id: contact.id,
      message: {
        ...{ subject: 'Hi', preview_text: null, from: smallest.from, reply_to: null, html: smallest.html, text: null },
        track: { opens: false, clicks: false },
      },
    });
    await eventually(async () => (await recipientsOf(parts.mongo.db).findOne({ source_id: workflow_id }))?.reason === 'quiet_hours');
    await put(owner, { quiet_hours: null });
    await eventually(async () => sink.to('run@quiet.example').length === 1);
  });

  await t.test(
    'throttles of domains: a higher or removed one releases emails, and quiet hours apply to those that wait for one',
    async () => {
      const owner = account(app);
      const throttle = { side: 'receiving', domain: 'slow.example', per_minute: 1 };
      await put(owner, { domain_throttles: [throttle] });
      neighbours.contacts(owner.accountId, 8, (index) => ({ email: `p${index}@slow.example` }));
      const id = await sendCampaign(owner);
      const waiting = async (reason: string) => (await rowsOf(owner, id)).filter((row) => row.reason === reason).length;
      await eventually(async () => (await waiting('domain_throttle')) === 7);
      await put(owner, { quiet_hours: quietFor(2) });
      await eventually(async () => (await waiting('quiet_hours')) === 7);
      await put(owner, { quiet_hours: null });
      await eventually(async () => (await waiting('domain_throttle')) === 7);
      await put(owner, { domain_throttles: [{ ...throttle, per_minute: 600 }] });
      await isComplete(owner, id, 8);
    },
  );

  await t.test('a contact whose time zone changes gets the email when the new zone allows it', async () => {
    const owner = account(app);
    const [east, quiet] = ['east@local.example', 'quiet@local.example'].map((email) =>
      neighbours.contact(owner.accountId, { email, timezone: 'America/New_York' }),
    );
    assert.ok(east && quiet);
    for (const contact of [east, quiet]) await neighbours.publishCreated(owner.accountId, contact);
    const local = { ...smallest, timezone_mode: 'recipient', fallback_timezone: 'UTC' };
    const { id } = (await owner.post('/v2/campaigns', local)).data;
    await sendSoon(owner, id, 2_000);
    await eventually(async () => (await read(owner, id)).timing?.waiting === 2);
    await neighbours.change(owner.accountId, east, { timezone: 'Asia/Tokyo' });
    await eventually(async () => sink.to('east@local.example').length === 1);
    assert.equal(sink.to('quiet@local.example').length, 0);

    await put(owner, { quiet_hours: quietFor(2) });
    const moving = await neighbours.change(owner.accountId, quiet, { timezone: 'UTC' });
    await eventually(async () => (await rowsOf(owner, id)).some(({ reason }) => reason === 'quiet_hours'));
    await neighbours.change(owner.accountId, moving, { timezone: 'Asia/Tokyo' });
    await isComplete(owner, id, 2);
  });

  await t.test('an email that its address rejected temporarily is sent to the new address of its contact', async () => {
    const owner = account(app);
    sink.behave((address) => (address === 'full@mailbox.example' ? { rcpt: 452, text: '4.2.2 Mailbox full' } : 'take'));
    const contact = neighbours.contact(owner.accountId, { email: 'full@mailbox.example' });
    await neighbours.publishCreated(owner.accountId, contact);
    const id = await sendCampaign(owner);
    await eventually(async () => (await rowsOf(owner, id))[0]?.state === 'deferred');
    await neighbours.change(owner.accountId, contact, { email: 'new@mailbox.example' });
    await isComplete(owner, id, 1);
    assert.equal(sink.to('new@mailbox.example').length, 1);
  });
});
