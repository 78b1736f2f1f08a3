import type { Comment, Mention } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { useWholeList } from '../lists/use-whole-list.ts';
import { usePermission } from '../session/permission.ts';

export type { Comment, Mention };
export type ResourceType = Comment['resource_type'];
export type Resource = { resource_type: ResourceType; resource_id: string };
export type CommentText = { text: string; mentions: string[] };

const listed = ['comments'];
const mentioned = ['mentions'];
const limit = 100;
const refetchInterval = 60_000;

/** All comments on a resource, oldest first. */
export function useComments(about: Resource) {
  const api = useApi();
  const list = useList({
    queryKey: [...listed, about],
    page: (at, signal) => responseData(api.GET('/v2/comments', { params: { query: { ...about, limit, ...at } }, signal })),
    refetchInterval,
  });
  return useWholeList(list);
}

/** The users whom comments on such a resource can mention. */
export function useUsersToMention(resource_type: ResourceType) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['users', 'to-mention', resource_type],
    queryFn: ({ signal }) => responseData(api.GET('/v2/comments/users', { params: { query: { resource_type } }, signal })),
    staleTime: refetchInterval,
  });
  return data?.items ?? [];
}

function useChange<Given>(change: (given: Given) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries({ queryKey: listed }) });
}

export function useCreateComment(about: Resource) {
  const api = useApi();
  return useChange((written: CommentText) => responseData(api.POST('/v2/comments', { body: { ...about, ...written } })));
}

export function useUpdateComment(id: string) {
  const api = useApi();
  return useChange((written: CommentText) => responseData(api.PUT('/v2/comments/{id}', { params: { path: { id } }, body: written })));
}

export function useDeleteComment(id: string) {
  const api = useApi();
  return useChange(() => responseData(api.DELETE('/v2/comments/{id}', { params: { path: { id } } })));
}

export function useResolveComment({ id, resolved_at }: Comment) {
  const api = useApi();
  const path = resolved_at === null ? '/v2/comments/{id}/resolve' : '/v2/comments/{id}/reopen';
  return useChange(() => responseData(api.POST(path, { params: { path: { id } }, body: {} })));
}

/** The comments that mention the user and are unread, as many as a list shows. */
export function useUnreadMentions() {
  const api = useApi();
  const { may } = usePermission();
  return useQuery({
    queryKey: mentioned,
    queryFn: ({ signal }) => responseData(api.GET('/v2/comments/mentions', { params: { query: { unread: 'true', limit: 20 } }, signal })),
    enabled: may('campaigns:read') || may('segments:read') || may('workflows:read'),
    refetchInterval,
  });
}

/** Marks mentions as read: in one comment, or all. */
export function useMarkRead() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (comment_id: string | undefined) =>
      responseData(api.POST('/v2/comments/mentions/read', { body: comment_id === undefined ? {} : { comment_ids: [comment_id] } })),
    onSettled: () => queries.invalidateQueries({ queryKey: mentioned }),
  });
}
