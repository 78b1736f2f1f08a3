import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { Campaign } from './campaigns.ts';
import { skippedBecause } from './delivery-reasons.ts';

/** Why recipients were skipped, in words; undefined while that is not known. */
export function useSkipped({ id }: Pick<Campaign, 'id'>, skipped: number) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['campaign', id, 'skipped', skipped],
    queryFn: ({ signal }) =>
      responseData(api.GET('/v2/campaigns/{id}/ledger', { params: { path: { id }, query: { status: 'skipped', limit: 100 } }, signal })),
    enabled: skipped > 0,
  });
  return data && skippedBecause(data.items, data.pagination.next_cursor === null);
}
