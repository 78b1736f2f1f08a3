import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { components } from '../api/schema.d.ts';

export type Brand = components['schemas']['Brand'];

const queryKey = ['brand'];

export function useBrand() {
  const api = useApi();
  return useQuery({ queryKey, queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/brand', { signal })) });
}

export function useUpdateBrand() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (brand: Brand) => responseData(api.PUT('/v2/campaigns/brand', { body: brand })),
    onSuccess: (brand) => queries.setQueryData(queryKey, brand),
  });
}
