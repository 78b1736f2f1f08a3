import type { CreateExportRequest, Export } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { Export };
export type NewExport = NonNullable<CreateExportRequest['body']>;

export const formats: Record<Export['format'], string> = { csv: 'CSV', ndjson: 'NDJSON' };

const listed = ['exports'];
/** Polling interval while an export is in progress. */
const pollMs = 1_000;

export const isInProgress = ({ status }: Pick<Export, 'status'>) => status === 'queued' || status === 'running';

export function useExports() {
  const api = useApi();
  return useList({
    queryKey: listed,
    page: (at, signal) => responseData(api.GET('/v2/contacts/exports', { params: { query: at }, signal })),
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isInProgress)) ? pollMs : false),
  });
}

export function useCreateExport() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewExport) => responseData(api.POST('/v2/contacts/exports', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}
