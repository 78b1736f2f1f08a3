import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { workflowId } from '@mp/contracts/ids';
import { PlannedDay } from '@mp/contracts/moment';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { newId } from '@mp/ids';
import { dayIn } from '@mp/rules/calendar';
import { dayMs } from '@mp/rules/duration';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { type CountsStore, hoursKeptDays, units } from '../counts/counts-store.ts';
import { endedStates } from '../runs/run.ts';
import { StepId } from '../workflows/step-id.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { flowFields, flowOf, numberOf, SecondsToGoal, secondsToGoal, toGoalText } from './step-counts.ts';

const maxDays = { hour: 7, day: 400 };
const usualDays = { hour: 1, day: 30 };
const intervalMs = { hour: 60 * 60 * 1_000, day: dayMs };

const Interval = z.enum(units);
const Count = z.number().int();

const Series = z
  .object({
    workflow_id: workflowId,
    interval: Interval,
    series: renamedFrom(
      'items',
      z
        .array(
          z.object({
            from: renamedFrom('start', z.iso.datetime().describe('When the interval starts.')),
            entered: Count.describe('Runs that started in the interval.'),
            ...Object.fromEntries(endedStates.map((state) => [state, Count.describe(`Runs that ended as ${state} in the interval.`)])),
            seconds_to_goal: SecondsToGoal.nullable().describe(
              `Of the runs that converted in the interval: the time ${toGoalText}; null if there are none.`,
            ),
            steps: z
              .array(z.object({ step_id: z.string(), ...flowFields, failed: Count.describe('How often a run failed at the step.') }))
              .describe('The steps at which something happened in the interval.'),
          }),
        )
        .describe('Every interval of the range, in order.'),
    ),
  })
  .meta({ id: 'WorkflowSeries' });

type Deps = { workflows: WorkflowsStore; counts: CountsStore; mongo: Mongo; clock: Clock };

export function getWorkflowSeries(app: Server, { workflows, counts, mongo, clock }: Deps) {
  app.get(
    '/v2/workflows/:id/analytics/series',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowSeries',
        summary: 'Get the counts of a workflow over time',
        description: `What happened in each hour or day of UTC, to runs and at each step, over all versions; exact. Hours are kept for ${hoursKeptDays} days, days for as long as the workflow.`,
        params: z.object({ id: workflowId }),
        querystring: z.strictObject({
          interval: Interval.default('day').describe('The length of the intervals.'),
          from: PlannedDay.optional().describe('The first day; by default 29 days before `to`, or `to` for hours.'),
          to: PlannedDay.optional().describe('The last day (inclusive); today by default.'),
          step_id: StepId.optional().describe('Only this step.'),
        }),
        response: { 200: success(Series) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { interval, step_id, ...range } = request.query;
      const workflow = await workflows.get(accountId, request.params.id);
      const lastDay = range.to === undefined ? dayIn('UTC', clock().getTime()) : Date.parse(range.to);
      const firstDay = range.from === undefined ? lastDay - (usualDays[interval] - 1) * dayMs : Date.parse(range.from);
      if (firstDay > lastDay) throw invalid('/query/to', 'empty_range', 'to must not be before from.');
      if (lastDay - firstDay >= maxDays[interval] * dayMs) {
        throw invalid(
          '/query/from',
          'range_too_long',
          `The range must be at most ${maxDays[interval]} days for intervals of one ${interval}.`,
        );
      }

      const [from, to] = [new Date(firstDay), new Date(lastDay + dayMs)];
      const origin = { correlationId: newId('request'), causationId: null };
      const found = await mongo.transaction(origin, (tx) =>
        counts.series(tx, { accountId, workflowId: workflow.id, unit: interval, from, to }),
      );
      const series = [];
      for (let start = from.getTime(); start < to.getTime(); start += intervalMs[interval]) {
        const rows = found.filter((row) => row.start?.getTime() === start);
        const whole = rows.find(({ step }) => step === '')?.counters ?? {};
        series.push({
          from: new Date(start).toISOString(),
          entered: numberOf(whole, 'entered'),
          ...Object.fromEntries(endedStates.map((state) => [state, numberOf(whole, state)])),
          seconds_to_goal: secondsToGoal(whole),
          steps: rows
            .filter(({ step }) => step !== '' && (step_id === undefined || step === step_id))
            .map(({ step, counters }) => ({ step_id: step, ...flowOf(counters), failed: numberOf(counters, 'failed') })),
        });
      }
      return { success: true as const, data: { workflow_id: workflow.id, interval, series } };
    },
  );
}
