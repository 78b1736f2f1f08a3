import type { CreateGoalRequest, Goal, GoalResult } from '@marketing-platform/sdk';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { awaitReportJob, type ReportJob } from './await-report-job.ts';
import { leadpulseKey, refetchMs, scopeOf } from './leadpulse.ts';
import type { TrafficSearch } from './leadpulse-search.ts';

export type { Goal };

type NewGoal = CreateGoalRequest['body'];

const goalsKey = [...leadpulseKey, 'goals'];

export function useGoals() {
  const api = useApi();
  return useList({
    queryKey: goalsKey,
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/goals', { params: { query: at }, signal })),
  });
}

const isGoalResult = (result: object): result is GoalResult => 'goal_id' in result && 'totals' in result;

/** The conversions of a goal in a view. */
export function useGoalReport({ id, revision }: Goal, search: TrafficSearch) {
  const api = useApi();
  const { range, filter } = scopeOf(search);
  return useQuery({
    queryKey: [...leadpulseKey, 'goal', id, revision, range, filter],
    queryFn: async ({ signal }) => {
      const body = { ...range, ...(filter && { filter }) };
      const report = await responseData<GoalResult | ReportJob>(
        api.POST('/v2/leadpulse/goals/{id}/report', { params: { path: { id } }, body, signal }),
      );
      return awaitReportJob(api, report, isGoalResult, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
}

export function useCreateGoal() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewGoal) => responseData(api.POST('/v2/leadpulse/goals', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: goalsKey }),
  });
}

export function useDeleteGoal({ id }: Goal) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/leadpulse/goals/{id}', { params: { path: { id } } })),
    // Not awaited, so that the caller's callbacks run before its row unmounts.
    onSuccess: () => void queries.invalidateQueries({ queryKey: goalsKey }),
  });
}
