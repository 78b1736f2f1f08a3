import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { PlannedMoment } from '@mp/contracts/moment';
import { windowMs } from '@mp/rules/duration';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import type { FetchContact } from '../contacts/fetch-contact.ts';
import type { Clock } from '../runs/clock.ts';
import type { Run } from '../runs/run.ts';
import { RunLogEntry, RunState } from '../runs/run-view.ts';
import type { Definition } from '../workflows/definition.ts';
import { Duration, StepId } from '../workflows/step.ts';
import { definitionOf, type Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { createRuleHolds } from './rule-holds.ts';
import { type Simulated, simulate } from './simulate.ts';
import { schedule, TimelineItem } from './timeline.ts';
import { createWorld } from './world.ts';

const SimulateBody = z.strictObject({
  contact_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Messages are rendered for this contact, and branches not set in `branches` are evaluated for it: as it is now, with the changes of earlier steps.',
    ),
  from: PlannedMoment.optional().describe('When the run starts. Default: now.'),
  advance: Duration.optional().describe('How far the virtual clock runs. Default: 400 days.'),
  branches: z
    .record(StepId, z.int().min(0).max(19).nullable())
    .default({})
    .describe('By the id of a branch step: the index of the branch to take, from 0, or null for `else`.'),
  refused: z.array(StepId).max(100).default([]).describe('Steps whose effect is refused or fails in this simulation.'),
  data: z.record(z.string().max(64), z.unknown()).default({}).describe('The data of the run.'),
  events: z.array(TimelineItem).max(200).default([]).describe('What happens to the contact during the simulation.'),
});

const Done = z.object({ at: z.iso.datetime(), step_id: z.string() });

const Simulation = z
  .object({
    state: RunState,
    reason: z.string().nullable(),
    step_id: z.string().nullable(),
    ended_at: z.iso.datetime().nullable(),
    log: z.array(RunLogEntry.omit({ sequence: true, effect_key: true })),
    messages: z.array(
      Done.extend({
        subject: z.string(),
        preview_text: z.string().nullable(),
        from: z.object({ email: z.string(), name: z.string().nullable() }),
        html: z.string().describe('As it would be sent, except that links are not tracked.'),
        text: z.string(),
        missing_fields: z.array(z.string()).describe('Fields that the message uses and the contact does not have.'),
      }),
    ),
    changes: z.array(Done.extend({ change: z.looseObject({ type: z.string() }) })),
    webhooks: z.array(Done.extend({ method: z.string(), url: z.string() })),
    tracked: z.array(Done.extend({ event: z.string(), properties: z.record(z.string(), z.unknown()) })).describe('The events that `track_event` steps would track.'),
    started: z.array(Done.extend({ workflow_id: z.string() })).describe('The workflows that `start_workflow` steps would start.'),
  })
  .meta({ id: 'WorkflowSimulation' });

type Deps = {
  workflows: WorkflowsStore;
  fetchContact: FetchContact;
  templates: Pick<Templates, 'render'>;
  ruleHolds: ReturnType<typeof createRuleHolds>;
  clock: Clock;
};

export function simulateWorkflow(app: Server, { workflows, fetchContact, templates, ruleHolds, clock }: Deps) {
  app.post(
    '/v2/workflows/:id/simulate',
    {
      config: { scope: 'workflows:write', reads: true },
      schema: {
        operationId: 'simulateWorkflow',
        summary: 'Simulate a workflow',
        description:
          'Runs a workflow of any status on a virtual clock, with the code that advances live runs. Delays pass at once and nothing is sent: ' +
          'messages are rendered, and changes are made to a copy of the contact that later branches and messages see. ' +
          'The response lists what would be sent, changed and called. Events, campaigns and segment memberships are the current ones. ' +
          'Without a contact, a branch that is not set in `branches` takes `else`. ' +
          'The simulation ends with the run, after `advance`, or after 1,000 changes of the run or 8 MiB of messages.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: SimulateBody,
        response: { 200: success(Simulation) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { contact_id, branches, refused, events, data, ...body } = request.body;
      const workflow = await workflows.get(accountId, request.params.id);
      const definition = definitionOf(workflow);
      checkStepsNamed(definition, [
        ...Object.keys(branches),
        ...refused,
        ...events.flatMap((one) => ('step_id' in one ? one.step_id : [])),
      ]);
      const contact = contact_id === undefined ? undefined : await fetchContact(accountId, contact_id);
      if (contact_id !== undefined && !contact) throw invalid('/contact_id', 'unknown_contact', 'The account has no such contact.');
      const world = createWorld({
        accountId,
        contact,
        templates,
        holds: (rule, seen, at) => ruleHolds(accountId, rule, seen, at),
        branches,
        refused: new Set(refused),
        data,
      });
      const from = body.from === undefined ? clock() : new Date(body.from);
      const until = new Date(from.getTime() + windowMs(body.advance ?? 'P400D'));
      const run = { ...newRun(workflow, contact?.id ?? 'contact', from), data };
      const timeline = schedule(events, contact?.id, from);
      return { success: true as const, data: simulationOf(await simulate({ definition, run, world, from, until, timeline })) };
    },
  );
}

function checkStepsNamed({ steps }: Definition, named: readonly string[]) {
  const unknown = named.find((id) => !steps.some((step) => step.id === id));
  if (unknown !== undefined) throw invalid('/', 'unknown_step', `The workflow has no step ${unknown}.`);
}

const newRun = ({ id, version, steps }: Pick<Workflow, 'id' | 'version' | 'steps'>, contactId: string, from: Date): Run => ({
  id: 'simulation',
  workflow_id: id,
  version,
  contact_id: contactId,
  state: 'active',
  reason: null,
  step: steps[0]?.id ?? null,
  waiting: null,
  sequence: 0,
  revision: 0,
  chain: null,
  began: from.toISOString(),
  reached: from.toISOString(),
  sent: {},
  engaged: [],
  data: {},
  responses: {},
});

function simulationOf({ run, log, done }: Simulated): z.output<typeof Simulation> {
  const last = log.at(-1);
  const of = ({ at, step }: Simulated['done'][number]) => ({ at: at.toISOString(), step_id: step });
  return {
    state: run.state,
    reason: run.reason,
    step_id: run.step,
    ended_at: last?.what === 'ended' ? last.at.toISOString() : null,
    log: log.map(({ at, step, what, detail }) => ({
      at: at.toISOString(),
      step_id: step,
      event: what,
      text: step === null ? detail : `${step}: ${detail}`,
    })),
    messages: done.flatMap((one) => {
      const { message } = one.performed;
      if (one.effect.type !== 'send' || !message) return [];
      const { subject, preview_text, html, text, missing_fields } = message;
      const { from } = one.effect.message;
      return [{ ...of(one), subject: subject ?? '', preview_text, from, html: html ?? '', text: text ?? '', missing_fields }];
    }),
    changes: done.flatMap((one) => (one.effect.type === 'contact' ? [{ ...of(one), change: one.effect.change }] : [])),
    webhooks: done.flatMap((one) => {
      if (one.effect.type !== 'webhook') return [];
      const { method, url } = one.effect.call;
      return [{ ...of(one), method, url }];
    }),
    tracked: done.flatMap((one) => {
      if (one.effect.type !== 'track') return [];
      const { event, properties } = one.effect;
      return [{ ...of(one), event, properties }];
    }),
    started: done.flatMap((one) => (one.effect.type === 'start' ? [{ ...of(one), workflow_id: one.effect.workflowId }] : [])),
  };
}
