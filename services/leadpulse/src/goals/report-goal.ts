import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { GoalResult, reportGoalFields } from '../reports/goal-report.ts';
import { ReportJob } from '../reports/report-job.ts';
import { maxEventsNow, type RunReport } from '../reports/run-report.ts';
import type { GoalsStore } from './goals-store.ts';

export function reportGoal(app: Server, { goals, runReport }: { goals: GoalsStore; runReport: RunReport }) {
  app.post(
    '/v2/leadpulse/goals/:id/report',
    {
      config: { scope: 'leadpulse:read', reads: true },
      schema: {
        operationId: 'reportGoal',
        summary: 'Report the conversions of a goal',
        description:
          'Counts conversions, the share of visitors and sessions that converted, and revenue by currency; amounts in different currencies are never added together. ' +
          'A first session counts even if it was before the range. ' +
          `If the report reads more than ${maxEventsNow.toLocaleString('en')} events, or with \`background\`, it returns 202 and runs as a job; get it at the URL in \`Location\`.`,
        params: z.object({ id: z.string().describe('The ID of the goal.') }),
        body: z.strictObject(reportGoalFields),
        response: { 200: success(GoalResult), 202: success(ReportJob) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id, match, value } = await goals.get(accountId, request.params.id);
      return runReport(reply, accountId, 'goal', { ...request.body, goal_id: id, match, value });
    },
  );
}
