import type { CreateSavedReportRequest, SavedReport } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { useWholeList } from '../lists/use-whole-list.ts';

export type { SavedReport };
export type NewSavedReport = CreateSavedReportRequest['body'];

const listed = ['leadpulse', 'saved-reports'];

/** The saved reports that a page can show, each with what the page then shows. */
export function useSavedReports<Search>(searchOf: (report: SavedReport) => Search | undefined) {
  const api = useApi();
  const { rows, error } = useWholeList(
    useList({
      queryKey: listed,
      page: (at, signal) => responseData(api.GET('/v2/leadpulse/saved-reports', { params: { query: at }, signal })),
    }),
  );
  const views = rows.flatMap((report) => {
    const search = searchOf(report);
    return search ? [{ report, search }] : [];
  });
  return { views, error };
}

export function useSave() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewSavedReport) => responseData(api.POST('/v2/leadpulse/saved-reports', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useDeleteSaved(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/leadpulse/saved-reports/{id}', { params: { path: { id } } })),
    // Not awaited, so that the caller's callbacks run before its button unmounts.
    onSuccess: () => void queries.invalidateQueries({ queryKey: listed }),
  });
}
