import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import { LeadpulseSettingsChanged } from '@mp/contracts/events/leadpulse';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Transact } from '@mp/service-kit/transact';
import { LeadpulseSettings } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function updateSettings(
  app: Server,
  { settings, outbox, transact }: { settings: SettingsStore; outbox: Pick<Outbox, 'add'>; transact: Transact },
) {
  app.put(
    '/v2/leadpulse/settings',
    {
      config: { scope: 'leadpulse:write' },
      schema: {
        operationId: 'updateLeadpulseSettings',
        summary: 'Update LeadPulse settings',
        description:
          'Omitted fields keep their value. Applies to events that are received from now on, within ten seconds. A shorter retention deletes what is older within about an hour. Each change is in the audit log.',
        querystring: noQuery,
        body: LeadpulseSettings.strict().partial(),
        response: { 200: success(LeadpulseSettings) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId, id } = request.principal;
        const before = await settings.of(accountId, tx);
        const data = LeadpulseSettings.parse({ ...before, ...request.body });
        if (isDeepStrictEqual(data, before)) return { status: 200, data };
        await settings.replace(tx, accountId, data);
        await outbox.add(tx, LeadpulseSettingsChanged, accountId, { actor_id: id, changes: changesOf(before, data) });
        return { status: 200, data };
      }),
  );
}

/** What was changed, with the values before and after. */
function changesOf(before: LeadpulseSettings, after: LeadpulseSettings) {
  const earlier = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, value]) => [name, { from: earlier.get(name), to: value }] as const)
      .filter(([, { from, to }]) => !isDeepStrictEqual(from, to)),
  );
}
