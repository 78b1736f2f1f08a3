import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { WorkflowSettingsView } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function getSettings(app: Server, { settings }: { settings: SettingsStore }) {
  app.get(
    '/v2/workflows/settings',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowSettings',
        summary: 'Get the settings of all workflows',
        response: { 200: success(WorkflowSettingsView) },
      },
    },
    async (request, reply) => {
      const data = await settings.of(request.principal.accountId);
      reply.header('etag', etagOf(data));
      return { success: true as const, data };
    },
  );
}
