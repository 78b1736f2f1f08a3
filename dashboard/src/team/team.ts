import type { InviteUserRequest, User } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { User };
export type Role = User['role'];
export type Invitation = InviteUserRequest['body'];

const listed = ['users'];

export function useTeam() {
  const api = useApi();
  return useList({
    queryKey: listed,
    page: (at, signal) => responseData(api.GET('/v2/settings/users', { params: { query: at }, signal })),
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: listed });
}

export function useInvite() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (invitation: Invitation) => responseData(api.POST('/v2/settings/users', { body: invitation })),
    // The response contains a sign-in link, so it is not cached.
    gcTime: 0,
    onSettled,
  });
}

/** Creates a new link for a user who has not signed in yet. */
export function useInviteAgain() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.POST('/v2/settings/users/{id}/invite', { params: { path: { id } }, body: {} })),
    gcTime: 0,
    onSettled,
  });
}

export function useChangeRole() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) =>
      responseData(api.PUT('/v2/settings/users/{id}', { params: { path: { id } }, body: { role } })),
    onSettled,
  });
}

/** The next identity with the email address of the user is linked. */
export function useUnlinkUser() {
  const api = useApi();
  return useMutation({
    mutationFn: (id: string) => responseData(api.POST('/v2/settings/users/{id}/unlink', { params: { path: { id } }, body: {} })),
  });
}

export function useRemoveUser() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.DELETE('/v2/settings/users/{id}', { params: { path: { id } } })),
    onSettled,
  });
}
