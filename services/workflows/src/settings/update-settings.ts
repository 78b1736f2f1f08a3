import { success } from '@mp/contracts/envelope';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { WorkflowSettings } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

type Deps = { settings: SettingsStore; transact: Transact; clock: Clock; recheckHeld: () => void };

export function updateSettings(app: Server, { settings, transact, clock, recheckHeld }: Deps) {
  app.put(
    '/v2/workflows/settings',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'updateWorkflowSettings',
        summary: 'Update the settings of all workflows',
        description:
          'Omitted fields keep their value. Applies within seconds to every email that has not been sent, also to emails that wait for the end of quiet hours.',
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
        await settings.replace(tx, accountId, data, clock());
        tx.afterCommit(recheckHeld);
        return { status: 200, data };
      }),
  );
}
