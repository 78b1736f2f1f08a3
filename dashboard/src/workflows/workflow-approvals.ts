import { useMutation, useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { Decision } from '../approval/approval-panel.tsx';
import { useSettled, type Workflow, workflowKey } from './workflows.ts';

/** Who requested approval, and what was decided; refetched for every revision. */
export function useWorkflowApproval({ id, revision, status }: Pick<Workflow, 'id' | 'revision' | 'status'>) {
  const api = useApi();
  return useQuery({
    queryKey: [...workflowKey(id), `approval ${revision}`],
    queryFn: ({ signal }) => responseData(api.GET('/v2/workflows/{id}/approval', { params: { path: { id } }, signal })),
    enabled: status !== 'active' && status !== 'archived',
  });
}

export function useDecideWorkflow(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: ({ verb, revision, comment }: Decision) => {
      const params = { path: { id } };
      return verb === 'approve'
        ? responseData(api.POST('/v2/workflows/{id}/approve', { params, body: { revision } }))
        : responseData(api.POST('/v2/workflows/{id}/reject', { params, body: { revision, comment } }));
    },
    onSettled,
  });
}
