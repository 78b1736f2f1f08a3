import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { workflowKey } from './workflows.ts';

export type WorkflowActivation = NonNullable<ReturnType<typeof useActivation>['data']>;

const activationOf = (api: Api, id: string, past_days?: number) => ({
  queryKey: [...workflowKey(id), 'activation', past_days ?? null],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    responseData(
      api.GET('/v2/workflows/{id}/activation', { params: { path: { id }, query: past_days === undefined ? {} : { past_days } }, signal }),
    ),
  gcTime: 0,
});

/** What activating the workflow with its current contacts would do; always read again. */
export function useActivation(id: string, past_days?: number) {
  const api = useApi();
  return useQuery({ ...activationOf(api, id, past_days), placeholderData: keepPreviousData });
}

/** Whether there are warnings about activating the workflow; false if they cannot be read, because they do not prevent it. */
export function useHasWarnings(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return () =>
    queries.fetchQuery(activationOf(api, id)).then(
      ({ warnings }) => warnings.length > 0,
      () => false,
    );
}
