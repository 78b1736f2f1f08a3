import type { Coupon, CreateCouponRequest } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { Coupon };
export type NewCoupon = CreateCouponRequest['body'];

const listed = ['coupons'];

/** The codes that one request can add. */
export const maxAtOnce = 10_000;

export function useCoupons() {
  const api = useApi();
  return useList({
    queryKey: listed,
    page: (at, signal) => responseData(api.GET('/v2/campaigns/coupons', { params: { query: { limit: 50, ...at } }, signal })),
  });
}

/** Creates a coupon, and then adds the codes that did not fit into one request. */
export function useCreateCoupon() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ codes = [], ...coupon }: NewCoupon) => {
      const first = codes.slice(0, maxAtOnce);
      const body = { ...coupon, ...(first.length > 0 && { codes: first }) };
      const created = await responseData(api.POST('/v2/campaigns/coupons', { body }));
      for (let done = maxAtOnce; done < codes.length; done += maxAtOnce)
        await responseData(
          api.POST('/v2/campaigns/coupons/{id}/codes', {
            params: { path: { id: created.id } },
            body: { codes: codes.slice(done, done + maxAtOnce) },
          }),
        );
      return created;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useDeleteCoupon(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/campaigns/coupons/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}
