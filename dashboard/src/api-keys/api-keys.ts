import type { ApiKey, CreateApiKeyRequest, CreateApiKeyResult } from '@marketing-platform/sdk';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

export type { ApiKey };
export type NewApiKey = CreateApiKeyRequest['body'];
export type GeneratedApiKey = CreateApiKeyResult['data'];

const listed = ['api-keys'];

/** Whether the key no longer works and cannot be changed. */
export const isOver = ({ status }: ApiKey) => status === 'revoked' || status === 'expired';

/** The keys, newest first: all pages loaded so far. */
export function useApiKeys() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: listed,
    queryFn: ({ pageParam, signal }) =>
      responseData(api.GET('/v2/settings/api-keys', { params: { query: pageParam ? { cursor: pageParam } : {} }, signal })),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    // "Last used" changes without user action, so it is polled.
    staleTime: 0,
    refetchInterval: 5_000,
  });
}

export function useGenerateApiKey() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewApiKey) => responseData(api.POST('/v2/settings/api-keys', { body: wanted })),
    // The response contains the key itself, so it is not cached.
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useChangeApiKey() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...change }: { id: string; name: string; ip_allow: string[] }) =>
      responseData(api.PUT('/v2/settings/api-keys/{id}', { params: { path: { id } }, body: change })),
    onSettled: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useRotateApiKey() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ apiKey: { id }, graceSeconds }: { apiKey: ApiKey; graceSeconds: number }) =>
      responseData(api.POST('/v2/settings/api-keys/{id}/rotate', { params: { path: { id } }, body: { grace_seconds: graceSeconds } })),
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useRevokeApiKey() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => responseData(api.POST('/v2/settings/api-keys/{id}/revoke', { params: { path: { id } }, body: {} })),
    onSettled: () => queries.invalidateQueries({ queryKey: listed }),
  });
}
