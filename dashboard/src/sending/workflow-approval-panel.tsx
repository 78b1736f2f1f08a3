import { Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';

const queryKey = ['workflow-settings'];

/** Whether a second person must approve the activation of workflows. Saved at once. */
export function WorkflowApprovalPanel() {
  const api = useApi();
  const queries = useQueryClient();
  const { seesSettings } = usePermission();
  const { data } = useQuery({ queryKey, queryFn: ({ signal }) => responseData(api.GET('/v2/workflows/settings', { signal })) });
  const { mutate, isPending } = useMutation({
    mutationFn: (approval: 'off' | 'always') => responseData(api.PUT('/v2/workflows/settings', { body: { approval } })),
    onSuccess: (settings) => queries.setQueryData(queryKey, settings),
    onError: (error) => notifications.show({ color: 'red', title: "Couldn't save the setting", message: error.message }),
  });
  return (
    <Panel title="Approval of workflows">
      <Switch
        label="Workflows need approval"
        description="Before a workflow is activated, another user must approve it. Only owners and admins can change this."
        disabled={!seesSettings || data === undefined || isPending}
        checked={data?.approval === 'always'}
        onChange={({ currentTarget: { checked } }) => mutate(checked ? 'always' : 'off')}
      />
    </Panel>
  );
}
