import type { CreateOauthClientRequest } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { CreatedOauthClient, OauthClient } from '@marketing-platform/sdk';
export type NewOauthClient = CreateOauthClientRequest['body'];

const listed = ['oauth-clients'];

export function useOauthClients() {
  const api = useApi();
  return useList({
    queryKey: listed,
    page: (at, signal) => responseData(api.GET('/v2/settings/oauth-clients', { params: { query: at }, signal })),
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: listed });
}

export function useCreateOauthClient() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (wanted: NewOauthClient) => responseData(api.POST('/v2/settings/oauth-clients', { body: wanted })),
    // The response contains the secret, so it is not cached.
    gcTime: 0,
    onSettled,
  });
}

export function useChangeOauthClient() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: ({ id, ...change }: { id: string; name: string; ip_allow: string[] }) =>
      responseData(api.PUT('/v2/settings/oauth-clients/{id}', { params: { path: { id } }, body: change })),
    onSettled,
  });
}

export function useRotateOauthClient() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: ({ id, graceSeconds }: { id: string; graceSeconds: number }) =>
      responseData(api.POST('/v2/settings/oauth-clients/{id}/rotate', { params: { path: { id } }, body: { grace_seconds: graceSeconds } })),
    gcTime: 0,
    onSettled,
  });
}

export function useRevokeOauthClient() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.POST('/v2/settings/oauth-clients/{id}/revoke', { params: { path: { id } }, body: {} })),
    onSettled,
  });
}
