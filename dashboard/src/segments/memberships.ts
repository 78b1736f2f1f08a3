import { queryOptions } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { isPassing, RequestFailed } from '../api/errors.ts';
import { useList } from '../lists/use-list.ts';

export type Explanation = Awaited<ReturnType<typeof readMembership>>['explanation'];

const readMembership = (api: Api, id: string, contact_id: string, signal: AbortSignal) =>
  responseData(api.GET('/v2/segments/{id}/contacts/{contact_id}', { params: { path: { id, contact_id } }, signal }));

/** Whether a contact is in a segment, with the result of every condition. */
export const membershipQuery = (api: Api, id: string, contact_id: string) =>
  queryOptions({
    queryKey: ['membership', id, contact_id],
    queryFn: ({ signal }) => readMembership(api, id, contact_id, signal),
  });

/** The segments that a contact is in. */
export function useContactSegments(id: string) {
  const api = useApi();
  return useList({
    queryKey: ['contact-segments', id],
    page: (at, signal) =>
      responseData(api.GET('/v2/contacts/{id}/segments', { params: { path: { id }, query: { limit: 20, ...at } }, signal })),
    // A contact that was created a moment ago is not found there yet.
    retry: (failures, error) => failures < 3 && (isPassing(error) || (error instanceof RequestFailed && error.code === 'NOT_FOUND')),
  });
}
