import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { MessageClicked } from '@mp/contracts/events/campaigns';
import { ContactUpdated } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { buildApp } from '../src/app.ts';
import { changedContact } from '../src/simulations/changed-contact.ts';
import type { Definition } from '../src/workflows/definition.ts';
import { Step } from '../src/workflows/step.ts';
import { arbitraryDefinition, someSegment, someTemplate } from './arbitraries.ts';
import { config, contactOf, fakeServices, knownContact } from './setting.ts';

type Item = { after: string; type: string; name?: string; properties?: object; step_id?: string; set?: object };

const items: Item[] = [
  { after: 'PT3H', type: 'event', name: 'order_placed', properties: { total: 20 } },
  { after: 'PT9H', type: 'event', name: 'order_placed', properties: { total: 5 } },
  { after: 'P1DT2H', type: 'event', name: 'order_placed', properties: { total: 5_000 } },
  { after: 'P3D', type: 'event', name: 'account_closed', properties: {} },
];
const hoursOf = (after: string) => {
  const [, days = '0', hours = '0'] = /^P(?:(\d+)D)?(?:T(\d+)H)?$/.exec(after) ?? [];
  return Number(days ?? 0) * 24 + Number(hours ?? 0);
};

const hasMore = ({ steps }: Definition) => steps.length > 2 && steps.some(({ type }) => type === 'wait_until' || type === 'goal');

/** `count` definitions: first the ones that have a type of step the earlier ones do not. */
function varied(definitions: readonly Definition[], count: number): Definition[] {
  const seen = new Set<string>();
  const adds = definitions.filter(({ steps }) => {
    const before = seen.size;
    for (const { type } of steps) seen.add(type);
    return seen.size > before;
  });
  return [...new Set([...adds, ...definitions])].slice(0, count);
}

test('live runs do exactly what the simulation of the same input predicts, for random workflows of every step type', async (t) => {
  let now = new Date('2026-01-05T03:30:00.000Z');
  const clock = () => now;
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, webhookCaller, engine } = await testService(
    t,
    parts,
    (own) => buildApp(own, { ...config, WEBHOOK_ALLOW_PRIVATE: true, clock }),
    {
      live: true,
    },
  );
  const account = testClient(app, { permission: 'admin' });
  const read = async (runId: string) => (await account.get(`/v2/workflows/runs/${runId}`)).data;
  const inbox = parts.mongo.db.collection<{ _id: string }>('inbox');
  const applied = (consumer: string, id: string) => eventually(async () => (await inbox.findOne({ _id: `${consumer} ${id}` })) !== null);

  // The fakes apply changes as contacts does, and evaluate rules on the result.
  play.outcome = (effect) => {
    const contact = contactOf(play.contacts.get(effect.contact_id) ?? { id: effect.contact_id, email: 'a@example.com' });
    const after = 'change' in effect ? changedContact(contact, effect.change, now).contact : undefined;
    if (after) play.contacts.set(after.id, { ...after, email: after.email ?? '' });
    return { status: 'done' };
  };
  play.rule = ({ contact_id, rule }) => {
    const contact = contactOf(play.contacts.get(contact_id) ?? { id: contact_id, email: 'a@example.com' });
    const changes = [...play.changedMembers.values()].filter((change) => change.contact_id === contact_id);
    const isInside = changes.at(-1)?.to === 'inside';
    const subject = { contact, activities: () => [], segments: new Set(isInside ? [someSegment] : []) };
    return { known: true, matches: compileRule(Rule.parse(rule)).matches(subject, now).matches };
  };

  const receiver = createServer((request, response) => request.resume().on('end', () => response.end('{"plan":"pro"}')));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => receiver.close().closeAllConnections());
  const address = receiver.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  const other = {
    name: 'Other',
    trigger: { type: 'manual' },
    entry: { policy: 'every_time' },
    steps: [{ id: 'wait', type: 'delay', for: 'P300D' }],
  };
  const workflowId = String((await account.post('/v2/workflows', other)).data.id);

  play.templates.set(someTemplate, { subject: 'Hi {{ data.plan }}', preview_text: null, html: '<p>Hi</p>', text: null });
  const sampled = fc.sample(arbitraryDefinition({ loops: false, url, workflowId }), { numRuns: 400, seed: 11 });
  const definitions = varied(sampled.filter(hasMore), 12);
  const seen = new Set<string>(definitions.flatMap(({ steps }) => steps.map(({ type }) => type)));
  assert.deepEqual(
    [...seen].sort(),
    Step.options.map((option) => option.shape.type.value).sort(),
    'every type of step is among the samples',
  );

  for (const [index, definition] of definitions.entries()) {
    const created = await account.post('/v2/workflows', { name: 'W', ...definition });
    assert.equal(created.status, 201, created.text);
    const id = await knownContact(parts, account.accountId);
    const contact = { id, email: `${id}@example.com`, timezone: 'America/New_York', attributes: { renewal: '2026-01-12' } };
    play.contacts.set(id, contact);
    const send = definition.steps.find(({ type }) => type === 'send');
    const timeline = [...items.slice(index % 3), ...(send ? [{ after: 'PT4H', type: 'message_clicked', step_id: send.id }] : [])].sort(
      (a, b) => hoursOf(a.after) - hoursOf(b.after),
    );
    const from = now;
    const simulated = await account.post(`/v2/workflows/${created.data.id}/simulate`, {
      contact_id: id,
      from: from.toISOString(),
      events: timeline,
      data: { plan: 'pro' },
    });
    assert.equal(simulated.status, 200, simulated.text);

    const triggered = await account.post(`/v2/workflows/${created.data.id}/trigger`, { contact_id: id, data: { plan: 'pro' } });
    const runId = String(triggered.data.runs[0].run_id);
    const upcoming = timeline.map((item) => ({ item, at: new Date(from.getTime() + hoursOf(item.after) * 3_600_000) }));
    let run = await read(runId);
    for (let turn = 0; turn < 100; turn += 1) {
      run = await eventually(async () => {
        const current = await read(runId);
        return (current.ended_at !== null || current.waiting_for === 'time' || current.waiting_for === 'event') && current;
      });
      if (run.ended_at !== null) break;
      const [next] = upcoming;
      const due = new Date(run.wake_at);
      if (!next || next.at > due) {
        // A goal that is reached after its window is due at once.
        now = due > now ? due : now;
        engine.wake();
        webhookCaller.wake();
        await eventually(async () => (await read(runId)).sequence > run.sequence);
        continue;
      }
      upcoming.shift();
      now = next.at > now ? next.at : now;
      await happens(runId, id, next.item, next.at);
    }
    const changed = simulated.data.changes.length;
    const performed = [...play.performed.values()].filter(({ run_id }) => run_id === runId);
    const texts = performed.flatMap((effect) => ('user_id' in effect ? [effect.text] : []));
    assert.deepEqual(
      texts,
      simulated.data.notifications.map(({ text }: { text: string }) => text),
    );
    assert.equal(performed.length, simulated.data.messages.length + changed + texts.length, JSON.stringify(definition));
    const members = [...play.changedMembers.values()].filter(({ contact_id }) => contact_id === id);
    assert.deepEqual(
      members.map(({ segment_id, to }) => ({ segment_id, to })),
      simulated.data.members.map(({ segment_id, to }: { segment_id: string; to: string }) => ({ segment_id, to })),
    );
    assert.deepEqual([run.state, run.reason, run.step_id], [simulated.data.state, simulated.data.reason, simulated.data.step_id]);
    type Entry = { at: string; step_id: string; event: string; text: string };
    const hooks = definition.steps.filter(({ type }) => type === 'webhook').map(({ id }) => id);
    // The log of a live webhook says what the receiver replied.
    const shown = ({ at, step_id, event, text }: Entry) => ({ at, step_id, event, text: hooks.includes(step_id) ? '' : text });
    assert.deepEqual(run.log.map(shown), simulated.data.log.map(shown), JSON.stringify(definition));
  }

  async function happens(runId: string, contactId: string, item: Item, at: Date) {
    if (item.type === 'message_clicked') {
      const run = await parts.mongo.db.collection<{ _id: string; sent: Record<string, string> }>('runs').findOne({ _id: runId });
      const key = run?.sent[item.step_id ?? ''];
      if (key === undefined) return;
      const { id } = await play.publish(MessageClicked, account.accountId, {
        ...{ recipient_id: 'recipient', contact_id: contactId, campaign_id: null, workflow_id: 'workflow', effect_key: key },
        ...{ at: at.toISOString(), url: 'https://example.com', machine: false },
      });
      return applied('workflows-messages', id);
    }
    const { id } = await play.publish(EventTracked, account.accountId, {
      ...{ event_id: newId('activity'), event: item.name ?? '', visitor_id: null, contact_id: contactId },
      ...{ time: at.toISOString(), properties: (item.properties ?? {}) as Record<string, number>, value: null, bot: false },
    });
    return applied('workflows-activities', id);
  }

  await t.test(
    'a rule of a wait_until step that matches on arrival continues at once, and otherwise when the contact changes',
    async () => {
      const vip = { field: 'tags', op: 'contains', value: 'vip' };
      const steps = [
        { id: 'wait', type: 'wait_until', any: [{ type: 'field', when: vip }], timeout: 'P1D', next: 'vip', on_timeout: null },
        { id: 'vip', type: 'exit', reason: 'vip' },
      ];
      const { data: workflow } = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
      const start = async () => {
        const id = await knownContact(parts, account.accountId);
        const contact = { id, email: `${id}@example.com`, revision: 4 };
        play.contacts.set(id, contact);
        const { data } = await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: id });
        return { contact, runId: String(data.runs[0].run_id) };
      };
      const revisions: number[] = [];
      play.rule = ({ at_least_revision }) => {
        revisions.push(at_least_revision);
        return { known: true, matches: revisions.length === 1 };
      };
      const one = await start();
      await eventually(async () => (await read(one.runId)).reason === 'vip');
      const other = await start();
      await eventually(async () => (await read(other.runId)).waiting_for === 'event');
      assert.deepEqual(revisions, [4, 4], 'on no older data than contacts has');
      const changed = contactOf({ ...other.contact, revision: 5, tags: ['vip'] });
      await play.publish(ContactUpdated, account.accountId, { contact: changed, changed: ['tags'] });
      await eventually(async () => (await read(other.runId)).reason === 'vip');
    },
  );
});
