import { success } from '@mp/contracts/envelope';
import { WorkflowApprovalSettingChanged } from '@mp/contracts/events/workflows';
import { approvalChanges } from '@mp/service-kit/approval';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import type { Outbox } from '@mp/service-kit/outbox';
import { etagOf } from '@mp/service-kit/precondition';
import { requireSettings, revised } from '@mp/service-kit/settings-revision';
import type { Transact } from '@mp/service-kit/transact';
import { WorkflowSettingsView } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

type Deps = { settings: SettingsStore; outbox: Pick<Outbox, 'add'>; transact: Transact; clock: Clock; recheckHeld: () => void };

export function updateSettings(app: Server, { settings, outbox, transact, clock, recheckHeld }: Deps) {
  app.put(
    '/v2/workflows/settings',
    {
      config: { scope: 'workflows:write', ifMatch: true },
      schema: {
        operationId: 'updateWorkflowSettings',
        summary: 'Update the settings of all workflows',
        description:
          'Omitted fields keep their value. Applies within seconds to every email that has not been sent, including emails that wait for the ' +
          'end of quiet hours.',
        body: WorkflowSettingsView.strict().partial(),
        response: { 200: success(WorkflowSettingsView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await settings.of(accountId, tx);
        requireSettings(request, request.body, before);
        const { quiet_hours = before.quiet_hours, approval = before.approval } = request.body;
        const data = revised(before, { quiet_hours, approval });
        const changes = approvalChanges(request.principal, ['approval'], before, data);
        if (changes) await outbox.add(tx, WorkflowApprovalSettingChanged, accountId, { actor_id: request.principal.id, changes });
        await settings.replace(tx, accountId, data, clock());
        tx.afterCommit(recheckHeld);
        return { status: 200, data, etag: etagOf(data) };
      }),
  );
}
