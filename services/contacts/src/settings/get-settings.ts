import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { ContactSettings, type SettingsStore } from './settings-store.ts';

export function getSettings(app: Server, { settings }: { settings: SettingsStore }) {
  app.get(
    '/v2/contacts/settings',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getContactSettings',
        summary: 'Get contact settings',
        response: { 200: success(ContactSettings) },
      },
    },
    async (request, reply) => {
      const data = await settings.of(request.principal.accountId);
      reply.header('etag', etagOf(data));
      return { success: true as const, data };
    },
  );
}
