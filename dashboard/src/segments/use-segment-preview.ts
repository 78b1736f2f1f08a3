import type { SegmentPreview } from '@marketing-platform/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { Definition } from './segments.ts';

/** After as many updates of a preview, its count is considered final. */
const maxUpdates = 12;
/** More contacts than the API evaluates in one request are not counted again. */
const maxRecounted = 100_000;

export type Preview = SegmentPreview;

/** How many contacts match a definition now, with a sample. While the API is still counting, what it has counted so far. */
export function useSegmentPreview(definition: Definition | undefined) {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = ['segment-preview', definition];

  async function counted(signal: AbortSignal): Promise<Preview> {
    if (definition === undefined) throw new Error('A preview needs a definition.');
    const next = (cursor?: string) =>
      responseData(api.POST('/v2/segments/preview', { body: { definition }, params: { query: cursor ? { cursor } : {} }, signal }));
    let preview = await next();
    while (preview.next_cursor !== null) {
      // An exact count stays while it is counted again.
      if (queries.getQueryData<Preview>(queryKey)?.exact !== true) queries.setQueryData(queryKey, preview);
      const more = await next(preview.next_cursor);
      preview = { ...more, samples: [...preview.samples, ...more.samples] };
    }
    return preview;
  }

  return useQuery({
    queryKey,
    queryFn: ({ signal }) => counted(signal),
    enabled: definition !== undefined,
    placeholderData: (before) => before,
    // Contacts of an import that has just completed may still be arriving, for a minute.
    refetchInterval: ({ state: { status, dataUpdateCount, data } }) =>
      status === 'error' || dataUpdateCount > maxUpdates || (data?.scanned ?? 0) > maxRecounted ? false : 5_000,
    retry: false,
  });
}
