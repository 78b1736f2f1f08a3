import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { LeadpulseSettings } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function getSettings(app: Server, { settings }: { settings: SettingsStore }) {
  app.get(
    '/v2/leadpulse/settings',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getLeadpulseSettings',
        summary: 'Get LeadPulse settings',
        querystring: noQuery,
        response: { 200: success(LeadpulseSettings) },
      },
    },
    async (request) => ({ success: true as const, data: await settings.of(request.principal.accountId) }),
  );
}
