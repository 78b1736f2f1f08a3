import type { CreateReportEmailRequest, ReportEmail } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { ReportEmail };
/** What a report is about. */
export type ReportSubject = { campaign_id: string } | { workflow_id: string };
type NewReportEmail = CreateReportEmailRequest['body'];

const listed = ['report-emails'];

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

export function useReportEmails(subject: ReportSubject, enabled: boolean) {
  const api = useApi();
  return useList({
    queryKey: [...listed, subject],
    page: (at, signal) => responseData(api.GET('/v2/report-emails', { params: { query: { ...subject, ...at } }, signal })),
    enabled,
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: listed });
}

export function useEmailReport() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (wanted: NewReportEmail) => responseData(api.POST('/v2/report-emails', { body: wanted })),
    onSettled,
  });
}

export function useStopReport() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.DELETE('/v2/report-emails/{id}', { params: { path: { id } } })),
    onSettled,
  });
}
