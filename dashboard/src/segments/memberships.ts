import { queryOptions } from '@tanstack/react-query';
import { type Api, responseData } from '../api/api.ts';

export type Explanation = Awaited<ReturnType<typeof readMembership>>['explanation'];

const readMembership = (api: Api, id: string, contact_id: string, signal: AbortSignal) =>
  responseData(api.GET('/v2/segments/{id}/contacts/{contact_id}', { params: { path: { id, contact_id } }, signal }));

/** Whether a contact is in a segment, with the result of every condition. */
export const membershipQuery = (api: Api, id: string, contact_id: string) =>
  queryOptions({
    queryKey: ['membership', id, contact_id],
    queryFn: ({ signal }) => readMembership(api, id, contact_id, signal),
  });
