import type { Import, ImportDetail } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { isFailure, RequestFailed } from '../api/errors.ts';
import type { Consent } from '../consent/consent.ts';
import { contactsKey } from '../contacts/contacts.ts';
import { useList } from '../lists/use-list.ts';
import type { Match } from './column-mapping.ts';
import { type Delimiter, readBeginning } from './csv.ts';

export type { Import, ImportDetail };

/** Polling interval while an import is in progress. */
const pollMs = 1_000;
/** Polling interval while segments are being brought up to date. */
const followMs = 2_000;
const listed = ['imports'];
const one = (id: string) => ['import', id];

export const isInProgress = (status: Import['status']) => status === 'uploading' || status === 'queued' || status === 'running';

export function useImports() {
  const api = useApi();
  return useList({
    queryKey: listed,
    page: (at, signal) => responseData(api.GET('/v2/contacts/imports', { params: { query: at }, signal })),
    refetchInterval: 5_000,
  });
}

export function useImport(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: one(id ?? ''),
    queryFn: ({ signal }) => responseData(api.GET('/v2/contacts/imports/{id}', { params: { path: { id: id ?? '' } }, signal })),
    enabled: id !== undefined,
    refetchInterval: ({ state: { data } }) => {
      if (!data || isInProgress(data.status)) return pollMs;
      return data.consequences?.status === 'pending' ? followMs : false;
    },
  });
}

export type NewImport = {
  file: File;
  matchOn: Match;
  isDryRun: boolean;
  mapping: Record<string, string | null>;
  /** Only for CSV. */
  delimiter: Delimiter | undefined;
  /** The email consent of created contacts whose row has none. */
  consent: Consent['status'];
  /** The static segment that the contacts are added to; empty for none. */
  segmentId: string;
  /** Whether what the import causes starts workflows. */
  isStarting: boolean;
};

export const isNdjson = ({ name }: Pick<File, 'name'>) => /\.(?:ndjson|jsonl)$/i.test(name);

export function useCreateImport() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ file, matchOn, isDryRun, mapping, delimiter, consent, segmentId, isStarting }: NewImport) => {
      const isMapped = Object.keys(mapping).length > 0;
      const query = {
        match_on: matchOn,
        default_consent: consent,
        dry_run: isDryRun ? ('true' as const) : ('false' as const),
        ...(isMapped && { mapping: JSON.stringify(mapping) }),
        ...(delimiter !== undefined && { delimiter }),
        start_workflows: isStarting ? ('true' as const) : ('false' as const),
        ...(segmentId !== '' && { add_to_segment_id: segmentId }),
      };
      return responseData(
        api.POST('/v2/contacts/imports', {
          params: { query },
          headers: { 'content-type': isNdjson(file) ? 'application/x-ndjson' : 'text/csv' },
          // Streams the file from disk instead of reading it into memory.
          body: file.name,
          bodySerializer: () => file,
        }),
      );
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useCancelImport(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.POST('/v2/contacts/imports/{id}/cancel', { params: { path: { id } }, body: {} })),
    onSettled: () => Promise.all([one(id), listed, contactsKey].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}

/** A failed row: its number, the field and the reason. */
export type RowError = { row: string; field: string; message: string };

const maxShown = 100;

/** The first failed rows. The error file can be large, so only its start is read. */
export function useRowErrors({ id, status, rows }: Pick<Import, 'id' | 'status' | 'rows'>) {
  const api = useApi();
  return useQuery({
    queryKey: [...one(id), 'errors'],
    queryFn: async ({ signal }) => {
      const { data, error, response } = await api.GET('/v2/contacts/imports/{id}/errors.csv', {
        params: { path: { id } },
        parseAs: 'stream',
        signal,
      });
      if (!data) throw new RequestFailed(response.status, isFailure(error) ? error.error : undefined);
      const { text, isComplete } = await beginning(data);
      const [, ...records] = readBeginning(text, isComplete, maxShown + 1, ',').records;
      return records.map(([row = '', field = '', , message = '']): RowError => ({ row, field, message }));
    },
    enabled: !isInProgress(status) && rows.failed > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const maxReadLength = 256 * 1024;

async function beginning(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < maxReadLength) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isComplete: true };
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text, isComplete: false };
}
