import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { dateOccurrence } from '../src/schedules/date-occurrence.ts';
import { tickAfter } from '../src/schedules/next-tick.ts';
import { spreadOver } from '../src/schedules/spread.ts';
import { Trigger } from '../src/workflows/trigger.ts';
import { liveService } from './live-service.ts';

const hourMs = 3_600_000;
const steps = [{ id: 'end', type: 'exit' }];

test('a workflow that starts automatically', async (t) => {
  const { account, clock, create, parts, pass, play, runsOf } = await liveService(t);
  const untilHour = () => hourMs - (clock().getTime() % hourMs);

  await t.test('starts one run for each member of the segment at each time of its schedule', async () => {
    const segment_id = newId('segment');
    const ids = Array.from({ length: 510 }, () => newId('contact'));
    play.members.set(segment_id, ids);
    const workflow = await create({ trigger: { type: 'schedule', cron: '0 * * * *', segment_id }, entry: { policy: 'every_time' }, steps });
    const runs = parts.mongo.db.collection('runs');
    const started = async () => runs.countDocuments({ workflow_id: workflow.id, state: 'exited' });
    pass(untilHour());
    await eventually(async () => (await started()) === 510);
    pass(hourMs);
    await eventually(async () => (await started()) === 1_020);
    assert.equal(new Set(await runs.distinct('contact_id', { workflow_id: workflow.id })).size, 510);
    await account.post(`/v2/workflows/${workflow.id}/pause`);
    assert.equal(await parts.mongo.db.collection<{ _id: string }>('ticks').countDocuments({ _id: workflow.id }), 0);
  });

  await t.test('waits until the segment has everything confirmed by then, and includes contacts that enter until then', async () => {
    const segment_id = newId('segment');
    play.members.set(segment_id, [newId('contact')]);
    const workflow = await create({ trigger: { type: 'schedule', cron: '0 * * * *', segment_id }, steps });
    const runs = parts.mongo.db.collection('runs');
    const started = () => runs.countDocuments({ workflow_id: workflow.id });
    const usual = play.caughtUp;
    let requests = 0;
    play.caughtUp = () => {
      requests += 1;
      return { state: requests < 3 ? 'behind' : 'lost', as_of: null };
    };
    pass(untilHour());
    await eventually(async () => {
      pass(1_000);
      return requests >= 3;
    });
    assert.equal(await started(), 0);
    play.members.set(segment_id, [newId('contact'), newId('contact')]);
    play.caughtUp = usual;
    await eventually(async () => {
      pass(1_000);
      return (await started()) === 2;
    });
    await account.post(`/v2/workflows/${workflow.id}/archive`);
  });

  await t.test('starts the runs of a spread schedule within its window', async () => {
    const segment_id = newId('segment');
    play.members.set(
      segment_id,
      Array.from({ length: 40 }, () => newId('contact')),
    );
    const trigger = { type: 'schedule', cron: '0 * * * *', segment_id, spread: 'PT40M' };
    const workflow = await create({ trigger, steps });
    const runs = parts.mongo.db.collection<{ began: string; state: string }>('runs');
    const at = clock().getTime() + untilHour();
    pass(untilHour());
    const ended = (count: number) =>
      eventually(async () => (await runs.countDocuments({ workflow_id: workflow.id, state: 'exited' })) >= count);
    await eventually(async () => (await runs.countDocuments({ workflow_id: workflow.id })) === 40);
    pass(20 * 60_000);
    await ended(5);
    assert.ok((await runs.countDocuments({ workflow_id: workflow.id, state: 'active' })) > 5);
    pass(20 * 60_000);
    await ended(40);
    const moments = (await runs.find({ workflow_id: workflow.id }).toArray()).map(({ began }) => Date.parse(began));
    assert.ok(moments.every((moment) => moment >= at && moment < at + 40 * 60_000) && new Set(moments).size === 40);
    await account.post(`/v2/workflows/${workflow.id}/archive`);
    assert.equal(
      (await account.post('/v2/workflows', { name: 'W', trigger: { ...trigger, spread: 'P2D' }, steps })).error.details[0].path,
      '/trigger/spread',
    );
  });

  await t.test('starts a run at the date of a contact, at the local time, once', async () => {
    const tomorrow = new Date(Math.floor(clock().getTime() / hourMs) * hourMs + 26 * hourMs);
    const time = `${tomorrow.toISOString().slice(11, 13)}:30`;
    const [due, other] = [newId('contact'), newId('contact')];
    const renewal = tomorrow.toISOString().slice(0, 10);
    play.contacts.set(due, { id: due, email: 'due@example.com', attributes: { renewal } });
    play.contacts.set(other, { id: other, email: 'other@example.com', attributes: { renewal: '2031-01-01' } });
    const workflow = await create({ trigger: { type: 'date', field: 'attributes.renewal', time }, steps });
    for (let hours = 0; hours < 30; hours += 1) {
      const at = clock();
      pass(hourMs);
      const ticks = parts.mongo.db.collection<{ _id: string; at: Date }>('ticks');
      await eventually(async () => ((await ticks.findOne({ _id: workflow.id }))?.at ?? at) > clock());
    }
    const runs = await eventually(async () => {
      const found = await runsOf(workflow.id);
      return found.length > 0 && found.every(({ state }: { state: string }) => state === 'exited') && found;
    });
    assert.deepEqual(
      runs.map((run: { contact_id: string }) => run.contact_id),
      [due],
    );
    assert.ok(runs[0].ended_at >= `${renewal}T${time}`, 'not before the time');
  });

  await t.test('is rejected with the path of a cron pattern that never occurs, and of a field that is not a date', async () => {
    const segment_id = newId('segment');
    const rejected = async (trigger: object) =>
      (await account.post('/v2/workflows', { name: 'W', trigger, steps })).error?.details?.map(({ path }: { path: string }) => path);
    for (const cron of ['', '* * * * * *', '0 9 31 2 *', 'daily', '61 * * * *']) {
      assert.deepEqual(await rejected({ type: 'schedule', cron, segment_id }), ['/trigger/cron'], cron);
    }
    assert.deepEqual(await rejected({ type: 'schedule', cron: '0 9 * * mon', timezone: 'Mars/Base', segment_id }), ['/trigger/timezone']);
    assert.deepEqual(await rejected({ type: 'date', field: 'email' }), ['/trigger/field']);
  });
});

test('schedule and date triggers of a suspended account wait until the suspension ends', async (t) => {
  const { account, app, clock, create, parts, pass, play, runsOf, suspended } = await liveService(t);
  const other = testClient(app);
  const hourly = () => {
    const segment_id = newId('segment');
    play.members.set(segment_id, [newId('contact')]);
    return { name: 'W', trigger: { type: 'schedule', cron: '0 * * * *', segment_id }, entry: { policy: 'every_time' }, steps };
  };
  const first = new Date((Math.floor(clock().getTime() / hourMs) + 1) * hourMs);
  const due = newId('contact');
  play.contacts.set(due, { id: due, email: 'due@example.com', attributes: { renewal: first.toISOString().slice(0, 10) } });
  const renewal = { type: 'date', field: 'attributes.renewal', time: `${first.toISOString().slice(11, 13)}:30` };
  const held = [await create(hourly()), await create({ trigger: renewal, steps })];
  const { data: witness } = await other.post('/v2/workflows', hourly());
  const runs = parts.mongo.db.collection('runs');
  await play.setStatus(account.accountId, 'suspended', 2);
  await eventually(async () => suspended.has(account.accountId));

  // Postponed at the first hour, the held triggers are due before the other account's second hour.
  pass(first.getTime() - clock().getTime());
  await eventually(async () => (await runs.countDocuments({ workflow_id: witness.id })) === 1);
  pass(hourMs);
  await eventually(async () => (await runs.countDocuments({ workflow_id: witness.id })) === 2);
  assert.equal(await runs.countDocuments({ account_id: account.accountId }), 0);

  await play.setStatus(account.accountId, 'active', 3);
  await eventually(async () => !suspended.has(account.accountId));
  pass(60_000);
  for (const { id } of held)
    await eventually(async () => {
      const found = await runsOf(id);
      return found.length === 1 && found[0].state === 'exited';
    });
});

test('a spread schedule starts runs evenly over its window, each contact at the same moment however often it is computed', () => {
  const at = new Date('2026-01-05T09:00:00Z');
  const starts = Array.from({ length: 10_000 }, (_, index) => spreadOver(at, 'PT2H', `contact_${index}`).getTime() - at.getTime());
  for (let quarter = 0; quarter < 8; quarter += 1) {
    const within = starts.filter((ms) => ms >= (quarter * hourMs) / 4 && ms < ((quarter + 1) * hourMs) / 4).length;
    assert.ok(within > 1_000 && within < 1_500, `${within} of 10,000 in quarter ${quarter}`);
  }
  assert.deepEqual(spreadOver(at, 'PT2H', 'contact_1').getTime() - at.getTime(), starts[1]);
});

test('an anniversary occurs once a year, including for 29 February and across the turn of the year', () => {
  const birthday = (born: string, trigger: object = {}) => {
    const checked = Trigger.parse({ type: 'date', field: 'attributes.born', yearly: true, time: '09:00', ...trigger });
    assert.ok(checked.type === 'date');
    const contact = aContact({ timezone: 'Europe/Berlin', attributes: { born } });
    const found: string[] = [];
    for (let at = Date.UTC(2027, 0, 1); at < Date.UTC(2029, 0, 1); at += hourMs) {
      const occurs = dateOccurrence(checked, contact, new Date(at), new Date(at + hourMs));
      if (occurs) found.push(occurs.toISOString());
    }
    return found;
  };
  assert.deepEqual(birthday('1990-07-01'), ['2027-07-01T07:00:00.000Z', '2028-07-01T07:00:00.000Z']);
  assert.deepEqual(birthday('1992-02-29'), ['2027-02-28T08:00:00.000Z', '2028-02-29T08:00:00.000Z']);
  assert.deepEqual(birthday('1990-01-02', { offset: '-P3D' }), ['2027-12-30T08:00:00.000Z', '2028-12-30T08:00:00.000Z']);
  assert.deepEqual(birthday('someday'), []);
});

test('after an outage a schedule starts once, and the dates of the last day are caught up on', () => {
  const at = (text: string) => new Date(text);
  const daily = Trigger.parse({ type: 'schedule', cron: '0 9 * * *', timezone: 'Europe/Berlin', segment_id: newId('segment') });
  assert.deepEqual(tickAfter(daily, at('2026-01-05T08:00:00Z'), at('2026-01-09T10:00:00Z')), at('2026-01-10T08:00:00Z'));
  const date = Trigger.parse({ type: 'date', field: 'attributes.renewal' });
  assert.deepEqual(tickAfter(date, at('2026-01-05T08:00:00Z'), at('2026-01-05T10:30:00Z')), at('2026-01-05T09:00:00Z'));
  assert.deepEqual(tickAfter(date, at('2026-01-05T08:00:00Z'), at('2026-01-09T10:30:00Z')), at('2026-01-08T11:00:00Z'));
});
