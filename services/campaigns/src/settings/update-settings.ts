import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { CampaignApprovalSettingChanged, FrequencyCapChanged } from '@mp/contracts/events/campaigns';
import { approvalChanges } from '@mp/service-kit/approval';
import type { Server } from '@mp/service-kit/create-server';
import type { Outbox } from '@mp/service-kit/outbox';
import { etagOf } from '@mp/service-kit/precondition';
import { requireSettings } from '@mp/service-kit/settings-revision';
import type { Transact } from '@mp/service-kit/transact';
import { type CampaignSettings, CampaignSettingsView, UpdateSettingsBody } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

export function updateSettings(
  app: Server,
  {
    settings,
    outbox,
    transact,
    recheckWaiting,
  }: { settings: SettingsStore; outbox: Pick<Outbox, 'add'>; transact: Transact; recheckWaiting: () => void },
) {
  app.put(
    '/v2/campaigns/settings',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'updateCampaignSettings',
        summary: 'Update campaign settings',
        description:
          'Omitted settings keep their value. They apply to every email that has not been sent yet; emails that wait because of earlier settings follow within seconds. So do runs of workflows that wait for the frequency cap (`when_capped`). Emails that the earlier settings skipped stay skipped.',
        body: UpdateSettingsBody,
        response: { 200: success(CampaignSettingsView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { body } = request;
        const before = await settings.of(accountId, tx);
        requireSettings(request, body, before);
        const chosen: CampaignSettings = {
          sending_paused: body.sending_paused ?? before.sending_paused,
          default_sender: body.default_sender === undefined ? before.default_sender : body.default_sender,
          delivered_after_hours: body.delivered_after_hours === undefined ? before.delivered_after_hours : body.delivered_after_hours,
          quiet_hours: body.quiet_hours === undefined ? before.quiet_hours : body.quiet_hours,
          frequency_cap: body.frequency_cap === undefined ? before.frequency_cap : body.frequency_cap,
          domain_throttles: body.domain_throttles ?? before.domain_throttles,
          topics: body.topics ?? before.topics,
          approval: body.approval ?? before.approval,
          approval_above: body.approval_above === undefined ? before.approval_above : body.approval_above,
          approval_segments: body.approval_segments ?? before.approval_segments,
        };
        const changes = approvalChanges(request.principal, ['approval', 'approval_above', 'approval_segments'], before, chosen);
        if (changes) {
          if (chosen.approval === 'above' && chosen.approval_above === null)
            throw invalid('/approval_above', 'required', 'approval above needs approval_above, the number of recipients.');
          if (chosen.approval === 'outside_segments' && chosen.approval_segments.length === 0)
            throw invalid('/approval_segments', 'required', 'approval outside_segments needs at least one segment in approval_segments.');
          await outbox.add(tx, CampaignApprovalSettingChanged, accountId, { actor_id: request.principal.id, changes });
        }
        if (!isDeepStrictEqual(before.frequency_cap, chosen.frequency_cap)) await outbox.add(tx, FrequencyCapChanged, accountId, {});
        const data = await settings.replace(tx, accountId, chosen);
        tx.afterCommit(recheckWaiting);
        return { status: 200, data, etag: etagOf(data) };
      }),
  );
}
