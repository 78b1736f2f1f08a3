import type { FunnelResult, PathsResult, RetentionResult } from '@marketing-platform/sdk';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { responseData, useApi } from '../api/api.ts';
import { type Segment, useCreateSegment } from '../segments/segments.ts';
import { awaitReportJob, type ReportJob } from './await-report-job.ts';
import { type ReportSearch, rangeFields, requestOf } from './report-search.ts';

export type { FunnelResult, PathsResult, RetentionResult };

const isFunnel = (result: object): result is FunnelResult => 'steps' in result && 'window' in result;
const isRetention = (result: object): result is RetentionResult => 'cohorts' in result;
const isPaths = (result: object): result is PathsResult => 'steps' in result && 'direction' in result;

/** The result of a report, including one that runs as a job. Not requested while it is incomplete. */
export function useReport(search: ReportSearch) {
  const api = useApi();
  const wanted = requestOf(search);
  const range = rangeFields(search);
  return useQuery({
    queryKey: ['leadpulse', 'report', wanted, range],
    enabled: wanted !== undefined,
    queryFn: async ({ signal }) => {
      if (wanted?.kind === 'funnel') {
        const body = { ...wanted.request, ...range };
        const report = await responseData<FunnelResult | ReportJob>(api.POST('/v2/leadpulse/funnels', { body, signal }));
        return { kind: 'funnel' as const, result: await awaitReportJob(api, report, isFunnel, signal) };
      }
      if (wanted?.kind === 'retention') {
        const body = { ...wanted.request, ...range };
        const report = await responseData<RetentionResult | ReportJob>(api.POST('/v2/leadpulse/retention', { body, signal }));
        return { kind: 'retention' as const, result: await awaitReportJob(api, report, isRetention, signal) };
      }
      if (wanted?.kind === 'paths') {
        const body = { ...wanted.request, ...range };
        const report = await responseData<PathsResult | ReportJob>(api.POST('/v2/leadpulse/paths', { body, signal }));
        return { kind: 'paths' as const, result: await awaitReportJob(api, report, isPaths, signal) };
      }
      throw new Error('The report is incomplete.');
    },
    placeholderData: keepPreviousData,
  });
}

type FunnelPeople = { name: string; step: number; outcome: 'reached' | 'dropped' };

/** Creates a static segment of the people of a step. If adding them fails, another attempt adds them to the same segment. */
export function useCreateFunnelSegment(search: ReportSearch) {
  const api = useApi();
  const creation = useCreateSegment();
  const [unfilled, setUnfilled] = useState<Segment>();
  return useMutation({
    mutationFn: async ({ name, ...people }: FunnelPeople) => {
      const wanted = requestOf(search);
      if (wanted?.kind !== 'funnel') throw new Error('Only a funnel has steps.');
      const segment = unfilled?.name === name ? unfilled : await creation.mutateAsync({ name, kind: 'static' });
      setUnfilled(segment);
      const body = { ...wanted.request, ...rangeFields(search), ...people, segment_id: segment.id };
      const added = await responseData(api.POST('/v2/leadpulse/funnels/segment', { body }));
      setUnfilled(undefined);
      return { segment, added };
    },
  });
}
