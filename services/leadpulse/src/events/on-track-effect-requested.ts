import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { on } from '@mp/service-kit/consume';
import type { Logger } from '@mp/service-kit/logger';
import type { SettingsStore } from '../settings/settings-store.ts';
import { admitEvent } from './admit-event.ts';
import { isRejection, newEvent } from './event.ts';
import { EventBody } from './event-body.ts';
import type { WriteBuffer } from './write-buffer.ts';

type Deps = { writeBuffer: Pick<WriteBuffer, 'store'>; settings: Pick<SettingsStore, 'cached'>; logger: Pick<Logger, 'warn'> };

/** Stores the event that a workflow tracks, once per effect: a repeated request has the same message ID. */
export const onTrackEffectRequested = ({ writeBuffer, settings, logger }: Deps) =>
  on(TrackEffectRequested, async (_tx, { account_id, data }) => {
    const { effect_key, event_id, contact_id, event, properties, time } = data;
    const body = EventBody.safeParse({ event, contact_id, properties, timestamp: time, message_id: `effect ${effect_key}` });
    const chosen = await settings.cached(account_id);
    const made = body.success
      ? admitEvent(newEvent(account_id, body.data, { now: new Date(), maxDays: chosen.retention_days }), chosen)
      : undefined;
    if (made && !isRejection(made)) {
      await writeBuffer.store([{ event: { ...made, id: event_id } }]);
      return;
    }
    logger.warn({ effect: effect_key, reason: body.error?.issues[0]?.message }, 'an event that a workflow tracks is invalid');
  });
