import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { requireSettings } from '@mp/service-kit/settings-revision';
import type { Transact } from '@mp/service-kit/transact';
import { ContactSettings, type SettingsStore } from './settings-store.ts';

export function updateSettings(app: Server, { settings, transact }: { settings: SettingsStore; transact: Transact }) {
  app.put(
    '/v2/contacts/settings',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'updateContactSettings',
        summary: 'Update contact settings',
        description: 'Applies to contacts created from now on.',
        body: ContactSettings.strict().partial(),
        response: { 200: success(ContactSettings) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { default_consent, default_consent_chosen: chosen } = request.body;
        const before = await settings.of(accountId, tx);
        requireSettings(request, request.body, before);
        if (chosen !== undefined && chosen !== before.default_consent_chosen)
          throw invalid(
            '/default_consent_chosen',
            'read_only',
            'default_consent_chosen cannot be set; it shows whether default_consent has been set.',
          );
        const data = default_consent === undefined ? before : await settings.replace(tx, accountId, before, { default_consent });
        return { status: 200, data, etag: etagOf(data) };
      }),
  );
}
