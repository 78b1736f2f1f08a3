import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageClicked } from '@mp/contracts/events/campaigns';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId, trustedId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { testClient } from '@mp/test-kit/client';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import type { LogDocument } from '../src/runs/log-document.ts';
import { assertRecount } from './recount.ts';
import { config, fakeServices, knownContacts, mail } from './setting.ts';

const count = Number(process.env.CONTACTS ?? 5_000);
const hourMs = 60 * 60 * 1_000;
const perSimulation = 20;
const atOnce = 50;

const ordered = { type: 'event', name: 'order_placed' } as const;
const journey = {
  name: 'Abandoned cart',
  trigger: { type: 'event', name: 'added_to_cart' },
  quiet_hours: { from: '21:00', to: '08:00', timezone: 'UTC' },
  steps: [
    { id: 'order', type: 'wait_until', any: [ordered], timeout: 'PT1H', on_timeout: 'value' },
    { id: 'value', type: 'branch', branches: [{ data: { 'data.properties.total': { gte: 100 } }, to: 'offer' }], else: 'reminder' },
    { id: 'offer', ...mail, subject: 'Free shipping, {{ contact.first_name }}', next: 'click' },
    { id: 'reminder', ...mail, subject: 'Your cart', next: 'click' },
    { id: 'click', type: 'wait_until', any: [{ type: 'message_clicked' }], timeout: 'P1D', next: 'half', on_timeout: 'half' },
    {
      id: 'half',
      type: 'split',
      paths: [
        { weight: 1, to: 'a' },
        { weight: 1, to: 'b' },
      ],
    },
    { id: 'a', type: 'add_tag', tag: 'half-a', next: 'goal' },
    { id: 'b', type: 'add_tag', tag: 'half-b', next: 'goal' },
    { id: 'goal', type: 'goal', any: [ordered], within: 'P7D' },
  ],
};

type Item =
  | { after: string; hours: number; type: 'event'; name: string }
  | { after: string; hours: number; type: 'message_clicked'; step_id: string };
const order = (hours: number): Item => ({ after: `PT${hours}H`, hours, type: 'event', name: 'order_placed' });
const click = (hours: number, step_id: string): Item => ({ after: `PT${hours}H`, hours, type: 'message_clicked', step_id });

/** What a contact has in the cart and does. */
const variants = [
  { total: 20, items: [{ ...order(0.5), after: 'PT30M' }] },
  { total: 20, items: [] },
  { total: 150, items: [click(14, 'offer'), order(70)] },
  { total: 150, items: [click(40, 'offer'), order(20 * 24)] },
  { total: 20, items: [click(15, 'reminder'), order(3 * 24)] },
  { total: 99, items: [order(30)] },
];
const zones = ['America/New_York', 'Asia/Kolkata', 'Europe/Berlin', null];

async function forEach<One>(all: readonly One[], act: (one: One) => Promise<unknown>) {
  for (let from = 0; from < all.length; from += atOnce) await Promise.all(all.slice(from, from + atOnce).map(act));
}

test(`an abandoned-cart journey is simulated over 30 days in under 2 s, before and after it is saved, and once it is activated gives ${count} live contacts exactly that`, async (t) => {
  const from = new Date('2026-03-02T18:30:00.000Z');
  let now = from;
  const clock = () => now;
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const account = testClient(app);
  const created = await account.post('/v2/workflows', { ...journey, status: 'draft' });
  assert.equal(created.status, 201, created.text);
  const workflowId = trustedId<'workflow'>(created.data.id);

  const ids = await knownContacts(parts, account.accountId, count);
  const people = ids.map((id, index) => {
    const contact = { id, email: `${id}@example.com`, first_name: `N${index}`, timezone: zones[index % zones.length] ?? null };
    play.contacts.set(id, contact);
    return { id, variant: variants[Math.floor(index / zones.length) % variants.length] ?? { total: 0, items: [] } };
  });
  const dataOf = (total: number) => ({ name: 'added_to_cart', time: from.toISOString(), properties: { total }, value: null });

  type Line = { at: string; step_id: string | null; event: string; text: string };
  type Simulated = { state: string; reason: string | null; step_id: string | null; log: Line[]; contact_id: string };
  const simulated = new Map<string, Simulated>();
  for (const { total, items } of variants) {
    const mine = people.filter(({ variant }) => variant.items === items).map(({ id }) => id);
    for (let first = 0; first < mine.length; first += perSimulation) {
      const contact_ids = mine.slice(first, first + perSimulation);
      const events = items.map(({ hours, ...item }) => item);
      const simulation = { from: from.toISOString(), advance: 'P30D', contact_ids, data: dataOf(total), events };
      const cpuTime = startCpuClock();
      const { status, data, text } = await account.post(`/v2/workflows/${workflowId}/simulate`, simulation);
      assert.equal(status, 200, text);
      assert.ok(cpuTime() < 2_000, `${perSimulation} contacts took ${cpuTime()} ms of CPU`);
      for (const one of data.contacts) simulated.set(one.contact_id, one);
    }
  }

  const { name: _, ...definition } = journey;
  const [someone] = people;
  const before = { from: from.toISOString(), advance: 'P30D', contact_ids: [someone?.id], data: dataOf(someone?.variant.total ?? 0) };
  const events = someone?.variant.items.map(({ hours, ...item }) => item);
  const unsaved = await account.post('/v2/workflows/simulate', { ...before, events, definition });
  assert.deepEqual(
    unsaved.data.contacts.map(({ log, state }: Simulated) => [state, log.length]),
    [someone && simulated.get(someone.id)].map((one) => [one?.state, one?.log.length]),
    'the same before it is saved, except for the path of the split',
  );
  assert.equal(await parts.mongo.db.collection('runs').countDocuments(), 0, 'a simulation starts nothing');
  assert.equal((await account.post(`/v2/workflows/${workflowId}/activate`, {})).status, 200);

  const moments = new Set<number>();
  for (const { log } of simulated.values()) for (const { at } of log) moments.add(Date.parse(at));
  for (const { items } of variants) for (const { hours } of items) moments.add(from.getTime() + hours * hourMs);

  const runs = parts.mongo.db.collection<{ _id: string; contact_id: string; sent: Record<string, string> }>('runs');
  const log = parts.mongo.db.collection<LogDocument>('run_steps');
  const tracked = (contactId: string, event: string, properties: Record<string, number>) =>
    play.publish(EventTracked, account.accountId, {
      ...{ event_id: newId('activity'), event, visitor_id: null, contact_id: contactId, time: now.toISOString() },
      ...{ properties, value: null, bot: false },
    });
  for (const moment of [...moments].sort((a, b) => a - b)) {
    now = new Date(moment);
    engine.wake();
    if (moment === from.getTime()) await forEach(people, ({ id, variant }) => tracked(id, 'added_to_cart', { total: variant.total }));
    const happening = people.flatMap(({ id, variant }) =>
      variant.items.filter(({ hours }) => from.getTime() + hours * hourMs === moment).map((item) => ({ id, item })),
    );
    const clicking = happening.some(({ item }) => item.type === 'message_clicked');
    const sent = new Map(clicking ? (await runs.find().toArray()).map((run) => [run.contact_id, run.sent]) : []);
    await forEach(happening, async ({ id, item }) => {
      if (item.type === 'event') await tracked(id, item.name, {});
      const effect_key = item.type === 'event' ? undefined : sent.get(id)?.[item.step_id];
      if (effect_key === undefined) return;
      await play.publish(MessageClicked, account.accountId, {
        ...{ recipient_id: 'recipient', contact_id: id, campaign_id: null, workflow_id: workflowId, effect_key },
        ...{ at: now.toISOString(), url: 'https://example.com', machine: false },
      });
    });
    const expected = [...simulated.values()].reduce((sum, one) => sum + one.log.filter(({ at }) => Date.parse(at) <= moment).length, 0);
    const logged = () => log.aggregate<{ sum: number }>([{ $group: { _id: null, sum: { $sum: { $size: '$entries' } } } }]).toArray();
    const isReached = async () => {
      await pause(100);
      return ((await logged())[0]?.sum ?? 0) >= expected;
    };
    await eventually(isReached, 240_000 + 60 * count).catch(async (error) => {
      throw new Error(`At ${now.toISOString()} the log has ${(await logged())[0]?.sum} of ${expected} lines.`, { cause: error });
    });
  }

  const outcomes = new Map<string, number>();
  for await (const run of parts.mongo.db.collection('runs').find()) {
    const expected = simulated.get(String(run.contact_id));
    const rows = await log
      .find({ account_id: account.accountId, run_id: trustedId<'run'>(String(run._id)) })
      .sort({ sequence: 1 })
      .toArray();
    const lines = rows.flatMap(({ at, entries }) =>
      entries.map(({ step, what, detail }) => ({
        ...{ at: at.toISOString(), step_id: step, event: what },
        text: step === null ? detail : `${step}: ${detail}`,
      })),
    );
    const shown = expected?.log.map(({ at, step_id, event, text }) => ({ at, step_id, event, text }));
    assert.deepEqual([run.state, run.reason, run.step, lines], [expected?.state, expected?.reason, expected?.step_id, shown]);
    outcomes.set(String(run.state), (outcomes.get(String(run.state)) ?? 0) + 1);
  }
  assert.deepEqual([...outcomes.keys()].sort(), ['completed', 'converted']);
  assert.equal(await assertRecount(parts, account.accountId, workflowId), count);
  t.diagnostic(`${count} runs: ${JSON.stringify(Object.fromEntries(outcomes))}, ${moments.size} moments`);
});
