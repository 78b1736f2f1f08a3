import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import { EventContactsCount } from '@mp/contracts/requests/leadpulse';
import { SegmentMembersCount } from '@mp/contracts/requests/segments';
import type { AccountId, WorkflowId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { PastDays, sinceDays } from '../workflows/past-days.ts';
import { startedBy } from '../workflows/started-by.ts';
import { ruleOf, type Trigger } from '../workflows/trigger.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { ActivationWarning, type FindCouponWarnings } from './coupon-warnings.ts';
import { emailsWithin } from './emails-within.ts';

const hourMs = 60 * 60 * 1_000;

/** Bounds what is read for one request: workflows that start each other. */
const maxStarted = 20;

const Activation = z
  .object({
    contacts: z
      .number()
      .int()
      .nullable()
      .describe(
        'The number of contacts that are in the segment of the trigger now or, with `past_days`, that had the event of the trigger in ' +
          'that time. Null for other triggers.',
      ),
    exact: z
      .boolean()
      .describe(
        'False if the trigger has a rule, which is evaluated for each contact when it enters: then fewer contacts may start a run. Or if there are too many events to count: then there are more.',
      ),
    emails_per_contact: z
      .number()
      .int()
      .describe('The most emails that one run sends in its first hour, with those of the workflows that it starts.'),
    emails_first_hour: z
      .number()
      .int()
      .nullable()
      .describe('The most emails in the first hour if all these contacts start now. Consent, quiet hours and limits can only reduce it.'),
    warnings: z.array(ActivationWarning).describe('Problems that do not prevent the activation.'),
  })
  .meta({ id: 'WorkflowActivation' });

type Deps = { workflows: WorkflowsStore; broker: Pick<Broker, 'request'>; findCouponWarnings: FindCouponWarnings; clock: Clock };

/** With a rule, fewer members may start. */
const countedMembers = (contacts: number, trigger: Trigger) => ({ contacts, exact: ruleOf(trigger) === undefined });

/** What activating a workflow with `include_current` would do. */
export function getActivation(app: Server, { workflows, broker, findCouponWarnings, clock }: Deps) {
  /** The workflows that runs of this one start. */
  async function startedFrom(accountId: AccountId, { steps }: Workflow) {
    const known = new Map<WorkflowId, Workflow>();
    for await (const started of startedBy(workflows, accountId, steps)) {
      known.set(started.id, started);
      if (known.size >= maxStarted) break;
    }
    return known;
  }

  /** How many contacts had the event of the trigger in the past days. */
  async function countPast(accountId: AccountId, trigger: Trigger, days: number | undefined) {
    if (trigger.type !== 'event' || days === undefined) return undefined;
    const now = clock();
    const range = { from: sinceDays(days, now).toISOString(), until: now.toISOString() };
    return broker.request(EventContactsCount, { account_id: accountId, event: trigger.name, where: trigger.where, ...range });
  }

  app.get(
    '/v2/workflows/:id/activation',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowActivation',
        summary: 'Preview an activation',
        description:
          'How many contacts would start if the workflow were activated with `include_current` or `include_past_days` now, and how many emails they would get in the first hour. Warns of coupons that do not suffice. Starts nothing.',
        params: z.object({ id: workflowId }),
        querystring: z.strictObject({
          past_days: z.coerce
            .number()
            .pipe(PastDays)
            .optional()
            .describe('Of a workflow with the trigger `event`: count the contacts that had the event in so many past days.'),
        }),
        response: { 200: success(Activation) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      const { id, trigger } = workflow;
      const segmentId = trigger.type === 'segment_entered' ? trigger.segment_id : undefined;
      const [known, counted] = await Promise.all([
        startedFrom(accountId, workflow),
        segmentId
          ? broker
              .request(SegmentMembersCount, { account_id: accountId, segment_id: segmentId })
              .then(({ members }) => countedMembers(members, trigger))
          : countPast(accountId, trigger, request.query.past_days),
      ]);
      const emails_per_contact = emailsWithin(workflow, hourMs, known, new Set([id]));
      const contacts = counted?.contacts ?? null;
      const emails_first_hour = contacts === null ? null : contacts * emails_per_contact;
      const exact = counted?.exact ?? true;
      const warnings = await findCouponWarnings(accountId, [workflow, ...known.values()], contacts ?? 0);
      return { success: true as const, data: { contacts, exact, emails_per_contact, emails_first_hour, warnings } };
    },
  );
}
