import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, read, reconciliation, sendSoon, smallest, startSetting, untilStatus } from './setting.ts';

const hourMs = 3_600_000;
const local = { ...smallest, timezone_mode: 'recipient', fallback_timezone: 'UTC' };

test('local times', async (t) => {
  const { app, neighbours, parts, sink } = await startSetting(t);
  const create = async (owner: ReturnType<typeof account>, body: object) => owner.post('/v2/campaigns', body);

  await t.test(
    'a campaign by local time needs a fallback zone and a schedule, and cannot make most of its audience wait for a winner',
    async () => {
      const owner = account(app);
      const problem = async (body: object) => (await create(owner, body)).error.details[0];
      assert.deepEqual((await problem({ ...local, fallback_timezone: null })).path, '/fallback_timezone');
      assert.equal((await problem({ ...local, fallback_timezone: '+02:00' })).path, '/fallback_timezone');
      const ab_test = { variants: [{ weight: 50 }, { weight: 50, subject: 'B' }], sample_percent: 20, metric: 'opens' };
      assert.deepEqual((await problem({ ...local, ab_test })).code, 'not_with_sample');
      assert.equal((await create(owner, { ...local, ab_test: { ...ab_test, sample_percent: 100 } })).status, 201);
      const { id } = (await create(owner, local)).data;
      const sent = await owner.post(`/v2/campaigns/${id}/send`);
      assert.deepEqual([sent.status, sent.error.details[0].path, sent.error.details[0].code], [400, '/schedule_at', 'required']);
      assert.equal((await read(owner, id)).status, 'draft');
      assert.equal((await owner.put(`/v2/campaigns/${id}`, { timezone_mode: 'fixed' })).data.timezone_mode, 'fixed');
    },
  );

  await t.test('the dry run says when each time zone gets the email, and which are too late', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 4, (index) => ({
      timezone: [null, 'Asia/Tokyo', 'America/New_York', 'America/New_York'][index] ?? null,
    }));
    const { id } = (await create(owner, local)).data;
    const at = new Date(Date.now() + 2 * hourMs);
    const { data } = await owner.post(`/v2/campaigns/${id}/dry-run`, { schedule_at: at.toISOString() });
    const [tokyo, utc, newYork] = data.timezones;
    assert.deepEqual(
      data.timezones.map(({ timezone, count }: { timezone: string; count: number }) => [timezone, count]),
      [
        ['Asia/Tokyo', 1],
        ['UTC', 1],
        ['America/New_York', 2],
      ],
    );
    assert.equal(utc.send_at, at.toISOString());
    assert.deepEqual([utc.late_by_seconds, newYork.late_by_seconds], [0, 0]);
    assert.ok(tokyo.late_by_seconds > 6 * 3_600 && tokyo.late_by_seconds <= 7 * 3_600, 'it is 9 hours ahead, and 2 are left');
    const undecided = (await owner.post(`/v2/campaigns/${id}/dry-run`)).data.timezones;
    assert.deepEqual([undecided[0].send_at, undecided[0].late_by_seconds], [null, null]);
  });

  await t.test(
    'each contact gets the email at its local time; those whose time has passed get it at once, and are reported as late',
    async () => {
      const owner = account(app);
      const people = { none: null, tokyo: 'Asia/Tokyo', west: 'America/New_York', moved: 'Etc/GMT+2' };
      const contacts = new Map(
        Object.entries(people).map(([name, timezone]) => [
          name,
          neighbours.contact(owner.accountId, { email: `${name}@local.example`, timezone }),
        ]),
      );
      const { id } = (await create(owner, local)).data;
      const at = await sendSoon(owner, id, 4_000);
      const rowOf = async (name: string) =>
        (await owner.get(`/v2/campaigns/${id}/messages/${contacts.get(name)?.id}`)).data.recipient ?? {};

      await eventually(async () => (await rowOf('tokyo')).state === 'sent');
      const tokyo = await rowOf('tokyo');
      assert.equal(tokyo.scheduled_for, new Date(at.getTime() - 9 * hourMs).toISOString());
      // Tokyo gets it at once, up to four seconds before `at`. Lateness is rounded.
      const takenSeconds = () => Math.ceil((Date.now() - at.getTime()) / 1_000);
      const tokyoLate = tokyo.lateness_seconds - 9 * 3_600;
      assert.ok(tokyoLate >= -4 && tokyoLate <= takenSeconds(), `late by ${tokyo.lateness_seconds} s`);
      assert.equal((await rowOf('none')).scheduled_for, at.toISOString());

      const moved = contacts.get('moved');
      assert.ok(moved);
      await neighbours.publishCreated(owner.accountId, moved);
      await neighbours.change(owner.accountId, moved, { timezone: 'America/New_York' });

      await eventually(async () => (await rowOf('none')).state === 'sent');
      assert.ok((sink.to('none@local.example')[0]?.at ?? 0) >= at.getTime(), 'not before its time');
      assert.ok((await rowOf('none')).lateness_seconds <= takenSeconds());
      const later = (await rowOf('west')).scheduled_for;
      assert.ok([4, 5].map((hours) => new Date(at.getTime() + hours * hourMs).toISOString()).includes(later), later);
      // It was due in two hours, and waits for the local time of its new zone.
      await eventually(async () => (await rowOf('moved')).scheduled_for === later);
      assert.deepEqual(
        [(await rowOf('moved')).state, (await rowOf('moved')).next_at, (await rowOf('west')).next_at],
        ['queued', later, later],
      );
      assert.equal(sink.to('moved@local.example').length, 0);

      const { status, progress, timing } = await read(owner, id);
      assert.deepEqual([status, progress.sent, progress.queued], ['sending', 2, 2]);
      const reasons = [null, 'local_time'].map((reason) => ({ reason, waiting: 1 }));
      assert.deepEqual(timing, { waiting: 2, next_at: later, last_at: later, reasons });
      assert.ok((await reconciliation(owner, id)).reconciles);
      const counts = await eventually(async () => {
        const found = (await owner.get(`/v2/campaigns/${id}/analytics`)).data.counts;
        return found.late === 1 && found;
      });
      const averageLate = counts.lateness_seconds - 9 * 1_800;
      assert.ok(averageLate >= -4 && averageLate <= takenSeconds(), `late by ${counts.lateness_seconds} s on average`);

      assert.equal((await owner.post(`/v2/campaigns/${id}/cancel`)).status, 200);
      await eventually(async () => (await read(owner, id)).progress.skipped === 2);
      assert.ok((await reconciliation(owner, id)).reconciles);
    },
  );

  await t.test('a contact that moves west gets its variant at its new local time, after the delay of the variant', async () => {
    const owner = account(app);
    const contact = neighbours.contact(owner.accountId, { email: 'delayed@local.example', timezone: 'UTC' });
    await neighbours.publishCreated(owner.accountId, contact);
    const delay_minutes = 60;
    const variants = [
      { weight: 50, delay_minutes },
      { weight: 50, subject: 'B', delay_minutes },
    ];
    const { id } = (await create(owner, { ...local, ab_test: { variants, sample_percent: 100, metric: 'opens' } })).data;
    const at = await sendSoon(owner, id, 1_000);
    const row = async () => (await owner.get(`/v2/campaigns/${id}/messages/${contact.id}`)).data.recipient ?? {};
    const after = (hours: number) => new Date(at.getTime() + hours * hourMs).toISOString();
    await eventually(async () => (await row()).scheduled_for === after(1));
    await neighbours.change(owner.accountId, contact, { timezone: 'Etc/GMT+6' });
    await eventually(async () => {
      // Its first time has come.
      await recipientsOf(parts.mongo.db).updateOne({ source_id: id, reason: null }, { $set: { due_at: new Date() } });
      return (await row()).scheduled_for !== after(1);
    });
    assert.deepEqual([(await row()).scheduled_for, (await row()).next_at, (await row()).state], [after(7), after(7), 'queued']);
  });

  await t.test('the scheduled time is the fallback zone, so a later schedule starts nothing early', async () => {
    const owner = account(app);
    neighbours.contact(owner.accountId, { email: 'early@local.example', timezone: 'Pacific/Kiritimati' });
    const { id } = (await create(owner, local)).data;
    const at = new Date(Date.now() + 15 * hourMs);
    await owner.post(`/v2/campaigns/${id}/send`, { schedule_at: at.toISOString() });
    assert.equal((await read(owner, id)).status, 'scheduled', 'no zone has reached the time yet');
    const soon = new Date(Date.now() + 14 * hourMs + 1_000);
    assert.equal((await owner.put(`/v2/campaigns/${id}`, { schedule_at: soon.toISOString() })).status, 200);
    await untilStatus(owner, id, 'sent');
    const [first] = sink.to('early@local.example');
    assert.ok(first && first.at >= soon.getTime() - 14 * hourMs, 'at its local time, 14 hours before schedule_at');
  });
});
