import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import type { EventHandler } from '@mp/service-kit/consume';
import type { Mongo } from '@mp/service-kit/mongo';
import { applyEvents } from '@mp/test-kit/apply-events';
import fc from 'fast-check';
import { handlersOf, workflowSince } from './handlers.ts';
import { history, newWorld, stagesOf, type World } from './histories.ts';
import { mail } from './setting.ts';
import { worldState } from './world-state.ts';

const now = new Date();
const anHourAgo = new Date(now.getTime() - 60 * 60_000);
const tag = { id: 'tag', type: 'add_tag' as const, tag: 'x' };
const wait = { id: 'wait', type: 'delay' as const, for: 'P1D' };
const rule = { field: 'tags', op: 'contains' as const, value: 'vip' };
const order = { type: 'event' as const, name: 'order' };
const gone = { type: 'event' as const, name: 'gone' };

/** Workflows of an account with every kind of trigger, entry and wait that an event decides about. */
function workflowsOf({ segments: [first, second], forms: [form] }: World) {
  const send = { ...mail, id: 'mail', type: 'send' as const, next: 'goal' };
  const started = workflowSince(anHourAgo, { entry: { policy: 'once' }, steps: [tag] });
  const others = [
    { trigger: { type: 'contact_created' as const }, steps: [tag] },
    { trigger: { type: 'contact_updated' as const, fields: ['company'] }, exit_when: [gone], steps: [wait] },
    { trigger: { type: 'contact_updated' as const, fields: ['tags'] }, entry: { policy: 'every_time' as const }, steps: [tag] },
    {
      trigger: { type: 'segment_entered' as const, segment_id: first },
      entry: { policy: 'every_time' as const },
      steps: [
        {
          id: 'until',
          type: 'wait_until' as const,
          any: [order, { type: 'segment_left' as const, segment_id: first }],
          timeout: 'P1D',
          next: 'tag',
        },
        tag,
      ],
    },
    { trigger: { type: 'segment_entered' as const, segment_id: second, when: rule }, steps: [tag] },
    { trigger: { type: 'segment_left' as const, segment_id: second }, max_concurrent: 1, steps: [tag] },
    {
      trigger: { ...order, where: { 'properties.total': { gte: 5 } } },
      entry: { policy: 'once' as const },
      steps: [send, { id: 'goal', type: 'goal' as const, any: [gone], within: 'P3D' }],
    },
    { trigger: order, entry: { policy: 'after_exit' as const, key: 'data.properties.total' }, steps: [wait] },
    { trigger: { type: 'message_clicked' as const, campaign_id: 'campaign_1' }, steps: [tag] },
    {
      trigger: { type: 'form_submitted' as const },
      entry: { policy: 'every_time' as const },
      exit_when: [gone],
      steps: [
        {
          id: 'until',
          type: 'wait_until' as const,
          any: [{ type: 'form_confirmed' as const, form_id: form }],
          timeout: 'P1D',
          next: 'tag',
        },
        tag,
      ],
    },
    { trigger: { type: 'form_submitted' as const, form_id: form, when: rule }, steps: [tag] },
    {
      trigger: { type: 'form_confirmed' as const, form_id: form },
      exit_when: [{ type: 'form_submitted' as const }],
      steps: [wait],
    },
    {
      trigger: { type: 'message_bounced' as const },
      entry: { policy: 'every_time' as const },
      steps: [{ id: 'end', type: 'exit' as const }],
    },
    {
      trigger: gone,
      entry: { policy: 'every_time' as const },
      steps: [
        { id: 'track', type: 'track_event' as const, event: 'seen', properties: {}, next: 'start' },
        { id: 'start', type: 'start_workflow' as const, workflow_id: started.id, data: {} },
      ],
    },
  ].map((body) => workflowSince(anHourAgo, body));
  return [started, ...others];
}

/** What the consumer acknowledges without a transaction is left out first: asking takes time in which events of a contact change places. */
async function apply(mongo: Mongo, handlers: readonly EventHandler[], stage: readonly EventEnvelope[], maxEvents: number) {
  const relevant: EventEnvelope[] = [];
  for (const event of stage) {
    const handler = handlers.find(({ event: { type } }) => type === event.type);
    if ((await handler?.isRelevant?.(event)) ?? true) relevant.push(event);
  }
  const request = handlers.map(({ isRelevant, ...handler }) => handler);
  await applyEvents(mongo, request, relevant, { maxEvents, atOnce: maxEvents === 1 ? 1 : 2 });
}

test('any history in any grouping has the effect on workflows of its events one by one', async (t) => {
  const clock = () => now;
  const [single, grouped] = [await handlersOf(t, clock), await handlersOf(t, clock)];
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 2, max: 30 }), async (happened, maxEvents) => {
      const world = newWorld(now);
      for (const accountId of world.accounts) {
        const workflows = workflowsOf(world);
        for (const { insert } of [single, grouped]) await insert(accountId, ...workflows);
      }
      for (const stage of stagesOf(world, happened)) {
        await apply(single.mongo, single.handlers, stage, 1);
        await apply(grouped.mongo, grouped.handlers, stage, maxEvents);
      }
      assert.deepEqual(await worldState(grouped.mongo, world.accounts), await worldState(single.mongo, world.accounts));
    }),
    { numRuns: 12 },
  );
});
