import { invalid } from '@mp/contracts/errors';
import { contactId, segmentId, workflowId } from '@mp/contracts/ids';
import { PlannedMoment } from '@mp/contracts/moment';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { type AccountId, type ContactId, trustedId } from '@mp/ids';
import { windowMs } from '@mp/rules/duration';
import type { Broker } from '@mp/service-kit/broker';
import type { Clock } from '@mp/service-kit/clock';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import type { FetchContact } from '../contacts/fetch-contact.ts';
import type { Run } from '../runs/run.ts';
import { RunLogEntry, RunState } from '../runs/run-view.ts';
import type { FetchTemplate } from '../workflows/fetch-template.ts';
import { Duration } from '../workflows/step-fields.ts';
import { StepId } from '../workflows/step-id.ts';
import { ruleOf } from '../workflows/trigger.ts';
import { definitionOf, type Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { Expectation, unmet } from './expectation.ts';
import { createRuleHolds } from './rule-holds.ts';
import { type Simulated, simulate } from './simulate.ts';
import { createSimulatedCapacity } from './simulated-capacity.ts';
import { createSimulatedEffects } from './simulated-effects.ts';
import { schedule, TimelineItem } from './timeline.ts';
import { withVariants } from './with-variants.ts';

const maxContacts = 20;

export const simulateFields = {
  contact_id: contactId
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
  variants: z
    .record(StepId, z.string().max(100))
    .refine((steps) => Object.keys(steps).length <= 100, 'expected at most 100 steps')
    .default({})
    .describe('By the id of a `send` step: the name of the variant that is sent. If a step is not named: the variant of the contact.'),
  capped: z
    .record(StepId, Duration)
    .refine((steps) => Object.keys(steps).length <= 100, 'expected at most 100 steps')
    .default({})
    .describe('By the id of a `send` step: how long after `from` the frequency cap forbids its email. If a step is not named: not at all.'),
  refused: z.array(StepId).max(100).default([]).describe('Steps whose effect is refused or fails in this simulation.'),
  data: z.record(z.string().max(64), z.unknown()).default({}).describe('The data of the run.'),
  responses: z
    .record(StepId, z.unknown())
    .default({})
    .describe(
      'By the id of a webhook step: the body of its response, from which `capture` takes values as in a live run. Without it, the step captures nothing.',
    ),
  events: z.array(TimelineItem).max(200).default([]).describe('What happens to the contact during the simulation.'),
  contact_ids: z
    .array(contactId.min(1).max(100))
    .min(1)
    .max(maxContacts)
    .optional()
    .describe('Instead of `contact_id`: simulates a run for each of these contacts.'),
  expect: z.array(Expectation).max(200).default([]).describe('What the simulated runs must do, so that a test can check a workflow.'),
};

const SimulateBody = z.strictObject(simulateFields);
export type SimulateBody = z.output<typeof SimulateBody>;

const Done = z.object({ at: z.iso.datetime(), step_id: z.string() });

const simulated = {
  starts: z
    .boolean()
    .nullable()
    .describe(
      'Whether the contact matches `when` of the trigger at `from`; null if the trigger has no `when`, or without a contact. The run is simulated in any case.',
    ),
  warnings: z
    .array(z.object({ code: z.enum(['segments_behind']), message: z.string() }))
    .describe('What the simulation could not take into account.'),
  status: renamedFrom('state', RunState.describe('The status of the run at the end of the simulation.')),
  reason: z.string().nullable(),
  step_id: z.string().nullable(),
  ended_at: z.iso.datetime().nullable(),
  log: z.array(RunLogEntry.omit({ sequence: true, effect_key: true })),
  messages: z.array(
    Done.extend({
      variant: z.string().nullable().describe('The variant of the email; null if the step has none.'),
      subject: z.string(),
      preview_text: z.string().nullable(),
      from: z.object({ email: z.string(), name: z.string().nullable() }),
      html: z.string().describe('As it would be sent, except that links are not tracked.'),
      text: z.string(),
      missing_fields: z.array(z.string()).describe('Fields that the message uses and the contact does not have.'),
    }),
  ),
  changes: z.array(Done.extend({ change: z.looseObject({ type: z.string() }) })),
  members: z
    .array(Done.extend({ segment_id: segmentId, to: z.enum(['inside', 'outside']) }))
    .describe('The segments that the contact would be added to (`inside`) or removed from.'),
  notifications: z
    .array(Done.extend({ user_id: z.string(), subject: z.string(), text: z.string() }))
    .describe('The emails that users of the account would get.'),
  webhooks: z.array(Done.extend({ method: z.string(), url: z.string() })),
  tracked: z
    .array(Done.extend({ event: z.string(), properties: z.record(z.string(), z.unknown()) }))
    .describe('The events that `track_event` steps would track.'),
  started: z.array(Done.extend({ workflow_id: workflowId })).describe('The workflows that `start_workflow` steps would start.'),
};

export const Simulation = z
  .object({
    ...simulated,
    passed: z.boolean().describe('Whether everything in `expect` was met.'),
    unmet: z
      .array(z.object({ index: z.number().int().describe('The index in `expect`, from 0.'), message: z.string() }))
      .describe('What was not met.'),
    contacts: z
      .array(z.object({ contact_id: contactId, ...simulated }))
      .describe('With `contact_ids`: the simulation of each contact. The fields above are those of the first.'),
  })
  .meta({ id: 'WorkflowSimulation' });

const segmentsBehind = {
  code: 'segments_behind' as const,
  message:
    'Segments had not applied the latest change of the contact: conditions on events, campaigns and segments were evaluated on what it knew. Simulate again in a moment.',
};

/** How long a simulation waits in total for segments to apply the latest changes of its contacts. */
const patienceMs = 2_000;

type Deps = {
  workflows: Pick<WorkflowsStore, 'applied'>;
  fetchContact: FetchContact;
  fetchTemplate: FetchTemplate;
  templates: Pick<Templates, 'render'>;
  broker: Pick<Broker, 'request'>;
  clock: Clock;
};

/** A workflow, or one that was not created yet. */
type Playable = Parameters<typeof definitionOf>[0] & Pick<Workflow, 'id' | 'version'>;

type Played = { contactId: ContactId | undefined; starts: boolean | null; isBehind: boolean; simulated: Simulated };

export type PlaySimulation = ReturnType<typeof createPlaySimulation>;

/** Simulates a run for each contact that the request names, or one without a contact, and checks what is expected of them. */
export function createPlaySimulation({ workflows, fetchContact, fetchTemplate, templates, broker, clock }: Deps) {
  return async function playSimulation(accountId: AccountId, workflow: Playable, body: SimulateBody): Promise<z.output<typeof Simulation>> {
    const { contact_id, contact_ids, branches, capped, refused, events, data, responses, expect } = body;
    checkNames(workflow, body);
    const from = body.from === undefined ? clock() : new Date(body.from);
    const until = new Date(from.getTime() + windowMs(body.advance ?? 'P400D'));
    const definition = withVariants(await workflows.applied(accountId, definitionOf(workflow)), body.variants);

    const capacity = createSimulatedCapacity(definition.max_concurrent, from);

    const when = ruleOf(definition.trigger);
    const giveUpAt = performance.now() + patienceMs;

    async function playFor(contactId: ContactId | undefined, path: string): Promise<Played> {
      const contact = contactId === undefined ? undefined : await fetchContact(accountId, contactId);
      if (contactId !== undefined && !contact) throw invalid(path, 'unknown_contact', 'The account has no such contact.');
      const rules = createRuleHolds({ broker }, giveUpAt);
      const starts = when && contact ? await rules.holds(accountId, when, { contact, members: new Map() }, from) : null;
      const simulatedEffects = createSimulatedEffects({
        accountId,
        contact,
        templates,
        fetchTemplate,
        holds: (rule, subject, at) => rules.holds(accountId, rule, subject, at),
        branches,
        cappedUntil: new Map(Object.entries(capped).map(([id, length]) => [id, new Date(from.getTime() + windowMs(length))])),
        refused: new Set(refused),
        responses,
      });
      const run = { ...newRun(workflow, contact?.id ?? noContact, from), data };
      const admittedAt = capacity.freeAt();
      const simulated = await simulate({
        definition,
        run,
        simulatedEffects,
        from,
        until,
        admittedAt,
        timeline: schedule(events, contactId, from),
      });
      capacity.use(simulated);
      return { contactId, starts, isBehind: rules.isBehind(), simulated };
    }

    const first = await playFor(contact_ids?.[0] ?? contact_id, contact_ids ? '/contact_ids/0' : '/contact_id');
    const played = [first];
    for (const [index, contactId] of (contact_ids ?? []).entries()) {
      if (index > 0) played.push(await playFor(contactId, `/contact_ids/${index}`));
    }
    const missed = expect.flatMap((expectation, index) => {
      const message = unmet(expectation, played);
      return message === undefined ? [] : [{ index, message }];
    });
    const views = played.flatMap((one) => (one.contactId === undefined ? [] : [{ contact_id: one.contactId, ...simulationOf(one) }]));
    return { ...simulationOf(first), passed: missed.length === 0, unmet: missed, contacts: contact_ids ? views : [] };
  };
}

/** Throws VALIDATION_ERROR when the request names a step that the workflow does not have, or contacts in two ways. */
function checkNames({ steps }: Pick<Workflow, 'steps'>, body: SimulateBody) {
  const { branches, variants, capped, refused, responses, events, expect, contact_id, contact_ids } = body;
  if (contact_id !== undefined && contact_ids !== undefined) {
    throw invalid('/contact_ids', 'invalid_value', 'Use either contact_id or contact_ids.');
  }
  const inEvents = events.flatMap((one) => ('step_id' in one ? one.step_id : []));
  const inExpectations = expect.flatMap(({ step_id }) => step_id ?? []);
  const keyed = [branches, variants, capped].flatMap((byStep) => Object.keys(byStep));
  const unknown = [...keyed, ...refused, ...inEvents, ...inExpectations].find((id) => !steps.some((step) => step.id === id));
  if (unknown !== undefined) throw invalid('/', 'unknown_step', `The workflow has no step ${unknown}.`);
  const silent = Object.keys(responses).find((id) => !steps.some((step) => step.id === id && step.type === 'webhook'));
  if (silent !== undefined) throw invalid(`/responses/${silent}`, 'unknown_step', `The workflow has no webhook step ${silent}.`);
}

/** Stands for the contact of a run that is simulated without one. */
const noContact = trustedId<'contact'>('contact');

const newRun = ({ id, version, steps }: Pick<Workflow, 'id' | 'version' | 'steps'>, contactId: ContactId, from: Date): Run => ({
  id: trustedId<'run'>('simulation'),
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

function simulationOf({ starts, isBehind, simulated: { run, log, done } }: Played) {
  const last = log.at(-1);
  const of = ({ at, step }: Simulated['done'][number]) => ({ at: at.toISOString(), step_id: step });
  return {
    starts,
    warnings: isBehind ? [segmentsBehind] : [],
    status: run.state,
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
      const { variant = null } = one.effect;
      return [{ ...of(one), variant, subject: subject ?? '', preview_text, from, html: html ?? '', text: text ?? '', missing_fields }];
    }),
    changes: done.flatMap((one) => (one.effect.type === 'contact' ? [{ ...of(one), change: one.effect.change }] : [])),
    members: done.flatMap((one) => {
      if (one.effect.type !== 'member') return [];
      const { segmentId, to } = one.effect.change;
      return [{ ...of(one), segment_id: segmentId, to }];
    }),
    notifications: done.flatMap((one) => (one.effect.type === 'notify' ? [{ ...of(one), ...one.effect.notification }] : [])),
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
