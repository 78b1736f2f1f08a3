import { useQuery } from '@tanstack/react-query';
import { answerOf, useApi } from '../api/api.ts';

/** Today's requests against the plan's figure; asking costs none. */
export function useUsage() {
  const api = useApi();
  return useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => answerOf(api.GET('/v2/settings/usage', { signal })),
    refetchInterval: 15_000,
  });
}
