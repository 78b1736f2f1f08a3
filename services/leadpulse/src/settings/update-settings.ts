import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { LeadpulseSettings } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function updateSettings(app: Server, { settings, transact }: { settings: SettingsStore; transact: Transact }) {
  app.put(
    '/v2/leadpulse/settings',
    {
      config: { scope: 'leadpulse:write' },
      schema: {
        operationId: 'updateLeadpulseSettings',
        summary: 'Update LeadPulse settings',
        description:
          'Omitted fields keep their value. Applies to events that are received from now on, within ten seconds. A shorter retention deletes what is older within about an hour.',
        querystring: noQuery,
        body: LeadpulseSettings.strict().partial(),
        response: { 200: success(LeadpulseSettings) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await settings.of(accountId, tx);
        const { blocked_properties, store_networks, excluded_networks, retention_days } = request.body;
        const data = {
          blocked_properties: blocked_properties ?? before.blocked_properties,
          store_networks: store_networks ?? before.store_networks,
          excluded_networks: excluded_networks ?? before.excluded_networks,
          retention_days: retention_days ?? before.retention_days,
        };
        await settings.replace(tx, accountId, data);
        return { status: 200, data };
      }),
  );
}
