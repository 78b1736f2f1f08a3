import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { CampaignSettingsView } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function getSettings(app: Server, { settings }: { settings: SettingsStore }) {
  app.get(
    '/v2/campaigns/settings',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaignSettings',
        summary: 'Get campaign settings',
        response: { 200: success(CampaignSettingsView) },
      },
    },
    async (request, reply) => {
      const data = await settings.of(request.principal.accountId);
      reply.header('etag', etagOf(data));
      return { success: true as const, data };
    },
  );
}
