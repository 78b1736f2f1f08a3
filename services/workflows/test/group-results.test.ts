import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { NotifyEffectCompleted } from '@mp/contracts/events/platform';
import { ContactEffectRequested, NotifyEffectRequested, SendEffectRequested } from '@mp/contracts/events/workflows';
import { type AccountId, type ContactId, newId, type RunId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents, applyTogether } from '@mp/test-kit/apply-events';
import { countCommands } from '@mp/test-kit/count-commands';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { runCollections } from '../src/runs/run-collections.ts';
import { handlersOf, workflowSince } from './handlers.ts';
import { mail } from './setting.ts';
import { runNames, worldState } from './world-state.ts';

const now = new Date();
const anHourAgo = new Date(now.getTime() - 60 * 60_000);
const trigger = { type: 'event' as const, name: 'order' };
const entry = { policy: 'every_time' as const };
const tag = { type: 'add_tag' as const, tag: 'x' };
const requests: string[] = [ContactEffectRequested, SendEffectRequested, NotifyEffectRequested].map(({ type }) => type);

const ordered = (accountId: AccountId, contactId: ContactId) =>
  anEvent(EventTracked, accountId, {
    ...{ event_id: newId('activity'), event: 'order', visitor_id: null, contact_id: contactId, bot: false },
    ...{ time: now.toISOString(), properties: {}, value: null },
  });

type Outcome = { status: 'done' | 'refused'; reason: string | null; revision: number };

/** The result of a requested effect, as the service that carries it out publishes it. */
function resultOf(request: string, accountId: AccountId, effect: { effect_key: string; run_id: RunId }, outcome: Outcome): EventEnvelope {
  const { revision, ...result } = outcome;
  switch (request) {
    case ContactEffectRequested.type:
      return anEvent(ContactEffectCompleted, accountId, { ...effect, ...outcome });
    case SendEffectRequested.type:
      return anEvent(CampaignEffectCompleted, accountId, { ...effect, ...result, recipient_id: null });
    default:
      return anEvent(NotifyEffectCompleted, accountId, { ...effect, ...result });
  }
}

/** The effects that runs of these accounts requested, by a name that is the same in every database, in its order. */
async function requestedEffects(mongo: Mongo, accounts: readonly AccountId[]) {
  const { named } = await runNames(mongo, accounts);
  const written = (await writtenEvents(mongo.db)).filter(({ envelope: { account_id, type } }) => {
    return accounts.includes(account_id) && requests.includes(type);
  });
  const effects = written.map(({ envelope: { account_id: accountId, type, data } }) => {
    const effect = { effect_key: String(data.effect_key), run_id: data.run_id };
    return { name: named(effect.effect_key), accountId, type, effect };
  });
  return [...new Map(effects.sort((a, b) => a.name.localeCompare(b.name)).map((one) => [one.name, one])).values()];
}

const outcome = fc.record({
  status: fc.constantFrom('done' as const, 'done' as const, 'refused' as const),
  reason: fc.constantFrom('frequency_cap', 'template_error', 'unverified_domain', 'not_subscribed'),
  revision: fc.integer({ min: 1, max: 5 }),
});
/** For each effect that was ever requested, in turn: whether its result comes now, twice, once more with another id, or from elsewhere. */
const round = fc.array(fc.record({ outcome, comes: fc.constantFrom('once', 'once', 'once', 'twice', 'again', 'astray', 'later') }), {
  minLength: 4,
  maxLength: 8,
});

test('results of effects', async (t) => {
  const [single, grouped] = [await handlersOf(t, () => now), await handlersOf(t, () => now)];
  const { runs } = runCollections(grouped.mongo.db);

  await t.test('have the same effect on runs in any grouping', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 3 }), fc.integer({ min: 2, max: 20 }), async (rounds, maxEvents) => {
        const accounts = [newId('account'), newId('account')];
        const triggered: EventEnvelope[] = [];
        for (const accountId of accounts) {
          const started = workflowSince(anHourAgo, { entry, steps: [{ id: 'own', ...tag }] });
          const workflows = [
            started,
            workflowSince(anHourAgo, {
              ...{ trigger, entry },
              steps: [
                { id: 'a', ...tag, next: 'mail' },
                { ...mail, id: 'mail', type: 'send', next: 'start' },
                { id: 'start', type: 'start_workflow', workflow_id: started.id, data: {}, next: 'b' },
                { id: 'b', ...tag, next: 'wait' },
                { id: 'wait', type: 'delay', for: 'P1D' },
              ],
            }),
            workflowSince(anHourAgo, {
              ...{ trigger, entry },
              steps: [
                { id: 'notify', type: 'notify', user_id: newId('user'), subject: 'S', text: 'T', next: 'track' },
                { id: 'track', type: 'track_event', event: 'seen', properties: {}, next: 'end' },
                { id: 'end', type: 'exit' },
              ],
            }),
          ];
          for (const { insert } of [single, grouped]) await insert(accountId, ...workflows);
          const contactIds = Array.from({ length: 3 }, () => newId('contact'));
          triggered.push(...contactIds.map((contactId) => ordered(accountId, contactId)));
        }
        for (const { mongo, handlers } of [single, grouped]) await applyEvents(mongo, handlers, triggered);

        for (const results of rounds) {
          const ids = new Map<string, EventEnvelope>();
          const eventsIn = async ({ mongo }: typeof single) =>
            (await requestedEffects(mongo, accounts)).flatMap(({ name, accountId, type, effect }, index) => {
              const { outcome, comes } = results[index % results.length] ?? {};
              if (outcome === undefined || comes === 'later') return [];
              const isOther = comes === 'astray';
              const event = resultOf(type, isOther ? newId('account') : accountId, effect, outcome);
              // The same event in both databases, but for the generated id of its run.
              const { id, correlation_id } = ids.get(name) ?? event;
              ids.set(name, event.id === id ? event : { ...event, id, correlation_id });
              const same = { ...event, id, correlation_id };
              if (comes === 'twice') return [same, same];
              const other = resultOf(type, accountId, effect, { ...outcome, status: 'refused', revision: 9 });
              return comes === 'again' ? [same, { ...other, id: `${id}2`, correlation_id }] : [same];
            });
          await applyEvents(single.mongo, single.handlers, await eventsIn(single));
          await applyEvents(grouped.mongo, grouped.handlers, await eventsIn(grouped), { maxEvents, atOnce: 2 });
        }
        assert.deepEqual(await worldState(grouped.mongo, accounts), await worldState(single.mongo, accounts));
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  /** `count` runs that wait for the result of their first tag; their results in the order of the runs. */
  async function waitingRuns(count: number, steps: NonNullable<Parameters<typeof workflowSince>[1]['steps']>) {
    const accountId = newId('account');
    const workflow = workflowSince(anHourAgo, { trigger, entry, steps });
    await grouped.insert(accountId, workflow);
    const [on] = grouped.handlers.filter(({ event }) => event === EventTracked);
    assert.ok(on);
    await applyTogether(
      grouped.mongo,
      on,
      Array.from({ length: count }, () => ordered(accountId, newId('contact'))),
    );
    const effects = await requestedEffects(grouped.mongo, [accountId]);
    const results = effects.map(({ type, effect }) => resultOf(type, accountId, effect, { status: 'done', reason: null, revision: 2 }));
    return { accountId, workflow, results };
  }
  const [on] = grouped.handlers.filter(({ event }) => event === ContactEffectCompleted);
  assert.ok(on);

  await t.test('of the same run take effect one after the other', async () => {
    const { workflow, results } = await waitingRuns(8, [
      { id: 'a', ...tag, next: 'b' },
      { id: 'b', ...tag, next: 'c' },
      { id: 'c', ...tag },
    ]);
    // The result of the second step is there before that of the first has taken effect, as after a restart.
    const following = (event: EventEnvelope, step: number) => {
      const data = ContactEffectCompleted.data.parse(event.data);
      const effect = { run_id: data.run_id, effect_key: `${data.run_id}:${step}` };
      return resultOf(ContactEffectRequested.type, event.account_id, effect, { status: 'done', reason: null, revision: step });
    };
    const all = [...results, ...results.map((event) => following(event, 2)), ...results.map((event) => following(event, 3))];
    await applyEvents(grouped.mongo, [on], all, { maxEvents: 200, atOnce: 2 });
    const states = (await runs.find({ workflow_id: workflow.id }).toArray()).map(({ state }) => state);
    assert.deepEqual(
      states,
      results.map(() => 'completed'),
    );
    const [first] = (
      await waitingRuns(1, [
        { id: 'a', ...tag, next: 'b' },
        { id: 'b', ...tag },
      ])
    ).results;
    assert.ok(first);
    await assert.rejects(applyTogether(grouped.mongo, on, [first, { ...first, id: newId('event') }]), /A run changed/);
  });

  await t.test('a hundred cost a few commands, and what they write names the result of its run as its cause', async () => {
    const cost = (results: readonly EventEnvelope[]) => countCommands(grouped.mongo, () => applyTogether(grouped.mongo, on, results));
    const steps = [{ id: 'a', ...tag, next: 'b' } as const, { id: 'b', ...tag } as const];
    const continued = await cost((await waitingRuns(100, steps)).results);
    const ended = await cost((await waitingRuns(100, steps.slice(1))).results);
    const one = await cost((await waitingRuns(1, steps)).results);
    t.diagnostic(JSON.stringify({ continued, ended, one }));
    assert.ok(continued.commands <= 10 && continued.commits === 1 && continued.documents <= 220, `continued: ${JSON.stringify(continued)}`);
    assert.ok(ended.commands <= 10 && ended.commits === 1 && ended.documents <= 220, `ended: ${JSON.stringify(ended)}`);

    const { accountId, results } = await waitingRuns(30, steps);
    await applyEvents(grouped.mongo, [on], results, { maxEvents: 200, atOnce: 1 });
    const causes = new Map((await writtenEvents(grouped.mongo.db, { accountId })).map(({ envelope }) => [envelope.causation_id, envelope]));
    for (const { id, data } of results) assert.equal(causes.get(id)?.data.run_id, ContactEffectCompleted.data.parse(data).run_id);
  });
});
