import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { skippedBecause } from '../campaigns/delivery-reasons.ts';
import { type Workflow, workflowKey } from './workflows.ts';

/** Why emails of each step were skipped, in words. */
export function useSkippedEmails({ id }: Pick<Workflow, 'id'>, skipped: number): ReadonlyMap<string, string> | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: [...workflowKey(id), 'skipped', skipped],
    queryFn: async ({ signal }) => {
      const query = { workflow_id: id, status: 'skipped', limit: 100 } as const;
      const { items, pagination } = await responseData(api.GET('/v2/campaigns/messages/ledger', { params: { query }, signal }));
      const bySteps = Map.groupBy(items, ({ step_id }) => step_id ?? '');
      return new Map([...bySteps].map(([stepId, rows]) => [stepId, skippedBecause(rows, pagination.next_cursor === null)]));
    },
    enabled: skipped > 0,
    placeholderData: keepPreviousData,
  });
  return data;
}
