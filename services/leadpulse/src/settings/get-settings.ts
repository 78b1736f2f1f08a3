import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { LeadpulseSettingsView } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function getSettings(app: Server, { settings }: { settings: SettingsStore }) {
  app.get(
    '/v2/leadpulse/settings',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getLeadpulseSettings',
        summary: 'Get LeadPulse settings',
        response: { 200: success(LeadpulseSettingsView) },
      },
    },
    async (request, reply) => {
      const data = await settings.of(request.principal.accountId);
      reply.header('etag', etagOf(data));
      return { success: true as const, data };
    },
  );
}
