import type { CreateRoleRequest, Role } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

export type { Role };
export type RoleBody = CreateRoleRequest['body'];
export type SendingLimits = NonNullable<RoleBody['sending_limits']>;

const queryKey = ['roles'];

/** The built-in roles, and then those of the account. */
export function useRoles() {
  const api = useApi();
  return useQuery({ queryKey, queryFn: async ({ signal }) => (await responseData(api.GET('/v2/settings/roles', { signal }))).items });
}

/** A role can change what the signed-in user may do, so everything is refetched. */
function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}

/** Creates the role, or changes the one with this ID. */
export function useSaveRole(id: string | undefined) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (body: RoleBody) =>
      id === undefined
        ? responseData(api.POST('/v2/settings/roles', { body }))
        : responseData(api.PUT('/v2/settings/roles/{id}', { params: { path: { id } }, body })),
    onSettled,
  });
}

export function useDeleteRole() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.DELETE('/v2/settings/roles/{id}', { params: { path: { id } } })),
    onSettled,
  });
}
