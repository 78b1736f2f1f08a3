import type { Brand } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { changedFields } from '../form/changed-fields.ts';

export type { Brand };

const queryKey = ['brand'];

export function useBrand() {
  const api = useApi();
  return useQuery({ queryKey, queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/brand', { signal })) });
}

type Change = { before: Brand; brand: Brand };

/** Saves what was changed since `before`, so that it does not undo the changes of another user. */
export function useUpdateBrand() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ before, brand }: Change) => {
      const body = changedFields(before, brand);
      if (body.colors) {
        // The API replaces all colors together.
        const stored = await responseData(api.GET('/v2/campaigns/brand'));
        body.colors = { ...stored.colors, ...changedFields(before.colors, brand.colors) };
      }
      return responseData(api.PUT('/v2/campaigns/brand', { body }));
    },
    onSuccess: (brand) => queries.setQueryData(queryKey, brand),
  });
}
