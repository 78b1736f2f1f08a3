import { success } from '@mp/contracts/envelope';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf } from '@mp/service-kit/precondition';
import { requireSettings, revised } from '@mp/service-kit/settings-revision';
import type { Transact } from '@mp/service-kit/transact';
import { WorkflowSettingsView } from './settings.ts';
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
        body: WorkflowSettingsView.strict().partial(),
        response: { 200: success(WorkflowSettingsView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await settings.of(accountId, tx);
        requireSettings(request, request.body, before);
        const { quiet_hours = before.quiet_hours } = request.body;
        const data = revised(before, { quiet_hours });
        await settings.replace(tx, accountId, data, clock());
        tx.afterCommit(recheckHeld);
        return { status: 200, data, etag: etagOf(data) };
      }),
  );
}
