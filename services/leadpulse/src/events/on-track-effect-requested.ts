import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { on } from '@mp/service-kit/consume';
import type { Logger } from '@mp/service-kit/logger';
import { newEvent } from './event.ts';
import { EventBody } from './event-body.ts';
import type { Ingest } from './ingest.ts';

type Deps = { ingest: Pick<Ingest, 'store'>; logger: Pick<Logger, 'warn'> };

/** Stores the event that a workflow tracks, once per effect: a repeated request has the same message ID. */
export const onTrackEffectRequested = ({ ingest, logger }: Deps) =>
  on(TrackEffectRequested, async (_tx, { account_id, data }) => {
    const { effect_key, event_id, contact_id, event, properties, time } = data;
    const body = EventBody.safeParse({ event, contact_id, properties, timestamp: time, message_id: `effect ${effect_key}` });
    const made = body.success ? newEvent(account_id, body.data, new Date()) : undefined;
    if (made && 'id' in made) {
      await ingest.store([{ event: { ...made, id: event_id } }]);
      return;
    }
    logger.warn(
      { account: account_id, effect: effect_key, reason: body.error?.issues[0]?.message },
      'an event that a workflow tracks is invalid',
    );
  });
