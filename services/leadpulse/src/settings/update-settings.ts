import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import { LeadpulseSettingsChanged } from '@mp/contracts/events/leadpulse';
import type { Server } from '@mp/service-kit/create-server';
import type { Outbox } from '@mp/service-kit/outbox';
import { etagOf } from '@mp/service-kit/precondition';
import { requireSettings, revised } from '@mp/service-kit/settings-revision';
import type { Transact } from '@mp/service-kit/transact';
import { LeadpulseSettings, LeadpulseSettingsView } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function updateSettings(
  app: Server,
  { settings, outbox, transact }: { settings: SettingsStore; outbox: Pick<Outbox, 'add'>; transact: Transact },
) {
  app.put(
    '/v2/leadpulse/settings',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'updateLeadpulseSettings',
        summary: 'Update LeadPulse settings',
        description:
          'Omitted fields keep their value. Applies to events that are received from now on, within ten seconds. A shorter retention deletes what is older within about an hour. Each change is in the audit log.',
        body: LeadpulseSettingsView.strict().partial(),
        response: { 200: success(LeadpulseSettingsView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId, id } = request.principal;
        const before = await settings.of(accountId, tx);
        requireSettings(request, request.body, before);
        const data = revised(before, LeadpulseSettings.parse({ ...before, ...request.body }));
        const etag = etagOf(data);
        if (data.revision === before.revision) return { status: 200, data, etag };
        await settings.replace(tx, accountId, data);
        await outbox.add(tx, LeadpulseSettingsChanged, accountId, { actor_id: id, changes: changesOf(before, data) });
        return { status: 200, data, etag };
      }),
  );
}

/** What was changed, with the values before and after. */
function changesOf(before: LeadpulseSettings, after: LeadpulseSettings) {
  const earlier = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name]) => name !== 'revision')
      .map(([name, value]) => [name, { from: earlier.get(name), to: value }] as const)
      .filter(([, { from, to }]) => !isDeepStrictEqual(from, to)),
  );
}
