import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { PlannedMoment } from '@mp/contracts/moment';
import { windowMs } from '@mp/rules/duration';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { FindContacts } from '../contacts/find-contacts.ts';
import type { Clock } from '../runs/clock.ts';
import type { EvaluateBranch } from '../runs/evaluate-branch.ts';
import type { Run } from '../runs/run.ts';
import { RunLogEntry, RunState } from '../runs/run-view.ts';
import { type Simulated, simulate } from '../runs/simulate.ts';
import type { Definition } from './definition.ts';
import { Duration, StepId } from './step.ts';
import { definitionOf } from './workflow.ts';
import type { WorkflowsStore } from './workflows-store.ts';

const SimulateBody = z.strictObject({
  contact_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Branches that `branches` does not decide ask their rules of this contact as it is now.'),
  from: PlannedMoment.optional().describe('When the run begins; default now.'),
  advance: Duration.optional().describe('How far the clock is moved; default 400 days.'),
  branches: z
    .record(StepId, z.int().min(0).max(19).nullable())
    .default({})
    .describe('For branch steps: the number of the branch to take, from 0, or null for `else`.'),
  refused: z.array(StepId).max(100).default([]).describe('Steps whose effect is refused or fails.'),
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
      Done.extend({ subject: z.string(), from: z.object({ email: z.string(), name: z.string().nullable() }), html: z.string() }),
    ),
    changes: z.array(Done.extend({ change: z.looseObject({ type: z.string() }) })),
    webhooks: z.array(Done.extend({ method: z.string(), url: z.string() })),
  })
  .meta({ id: 'WorkflowSimulation' });

type Deps = { workflows: WorkflowsStore; findContacts: FindContacts; evaluateBranch: EvaluateBranch; clock: Clock };

export function simulateWorkflow(app: Server, { workflows, findContacts, evaluateBranch, clock }: Deps) {
  app.post(
    '/v2/workflows/:id/simulate',
    {
      config: { scope: 'workflows:write', reads: true },
      schema: {
        operationId: 'simulateWorkflow',
        summary: 'Try a workflow under a virtual clock',
        description:
          'Whatever its status. The code is the one that moves live runs, but delays pass at once and nothing happens outside: what would be sent, changed ' +
          'and called is answered instead. A branch that is neither decided by `branches` nor asked of a contact takes `else`.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: SimulateBody,
        response: { 200: success(Simulation) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { contact_id, branches, refused, ...body } = request.body;
      const workflow = await workflows.get(accountId, request.params.id);
      const definition = definitionOf(workflow);
      checkStepsNamed(definition, [...Object.keys(branches), ...refused]);
      const [contact] = contact_id === undefined ? [] : await findContacts(accountId, [{ contact_id }]);
      if (contact_id !== undefined && !contact) throw invalid('/contact_id', 'unknown_contact', 'The account has no such contact.');

      const branch = async (stepId: string) => {
        const decided = branches[stepId];
        if (decided !== undefined || !contact) return decided ?? null;
        const step = definition.steps.find(({ id }) => id === stepId);
        const rules = step?.type === 'branch' ? step.branches.map(({ when }) => when) : [];
        const evaluated = await evaluateBranch({ account_id: accountId, contact_id: contact.id, revision: 0 }, rules);
        if (evaluated.known) return evaluated.taken;
        throw new ApiError('SERVICE_UNAVAILABLE', 'Segments has not applied the latest change of this contact yet; retry.', {
          retryAfter: 1,
        });
      };
      const from = body.from === undefined ? clock() : new Date(body.from);
      const until = new Date(from.getTime() + windowMs(body.advance ?? 'P400D'));
      const run = newRun(workflow.id, contact?.id ?? 'contact', definition);
      return {
        success: true as const,
        data: simulationOf(await simulate(definition, run, { branch, refused: new Set(refused) }, from, until)),
      };
    },
  );
}

function checkStepsNamed({ steps }: Definition, named: readonly string[]) {
  const unknown = named.find((id) => !steps.some((step) => step.id === id));
  if (unknown !== undefined) throw invalid('/', 'unknown_step', `The workflow has no step ${unknown}.`);
}

const newRun = (workflowId: string, contactId: string, { steps }: Definition): Run => ({
  id: 'simulation',
  workflow_id: workflowId,
  contact_id: contactId,
  state: 'active',
  reason: null,
  step: steps[0]?.id ?? null,
  waiting: null,
  sequence: 0,
  revision: 0,
  chain: null,
});

function simulationOf({ run, log, effects }: Simulated): z.output<typeof Simulation> {
  const last = log.at(-1);
  const done = ({ at, step }: Simulated['effects'][number]) => ({ at: at.toISOString(), step_id: step });
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
    messages: effects.flatMap((one) => {
      if (one.effect.type !== 'send') return [];
      const { subject, from, html } = one.effect.message;
      return [{ ...done(one), subject, from, html }];
    }),
    changes: effects.flatMap((one) => (one.effect.type === 'contact' ? [{ ...done(one), change: one.effect.change }] : [])),
    webhooks: effects.flatMap((one) => {
      if (one.effect.type !== 'webhook') return [];
      const { method, url } = one.effect.call;
      return [{ ...done(one), method, url }];
    }),
  };
}
