import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { WorkflowSettings } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function updateSettings(app: Server, { settings, transact }: { settings: SettingsStore; transact: Transact }) {
  app.put(
    '/v2/workflows/settings',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'updateWorkflowSettings',
        summary: 'Update the settings of all workflows',
        description:
          'Omitted fields keep their value. Applies within ten seconds to emails that runs are about to send, and to emails that wait for quiet hours when these end.',
        querystring: noQuery,
        body: WorkflowSettings.strict().partial(),
        response: { 200: success(WorkflowSettings) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { quiet_hours = (await settings.of(accountId, tx)).quiet_hours } = request.body;
        const data = { quiet_hours };
        await settings.replace(tx, accountId, data);
        return { status: 200, data };
      }),
  );
}
