import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { ContactSettings, type SettingsStore } from './settings-store.ts';

export function updateSettings(app: Server, { settings, transact }: { settings: SettingsStore; transact: Transact }) {
  app.put(
    '/v2/contacts/settings',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'updateContactSettings',
        summary: "Change the account's settings for contacts",
        description: 'They hold for contacts created from then on.',
        querystring: noQuery,
        body: ContactSettings.strict().partial(),
        response: { 200: success(ContactSettings) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { default_consent = (await settings.of(accountId)).default_consent } = request.body;
        await settings.replace(tx, accountId, { default_consent });
        return { status: 200, data: { default_consent } };
      }),
  );
}
