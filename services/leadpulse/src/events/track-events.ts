import { createHash } from 'node:crypto';
import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { ambiguityIn } from '@mp/service-kit/ambiguous-json';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Server } from '@mp/service-kit/create-server';
import { claimKeyOf, fingerprintOf } from '@mp/service-kit/idempotency-claim';
import type { CountryOf } from '../countries/country-file.ts';
import type { LeadpulseSettings } from '../settings/settings.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { admitEvent } from './admit-event.ts';
import { type Event, isRejection, newEvent, type Receipt } from './event.ts';
import { bytesOf, type EventBody, maxEventBytes, TrackBody, tooBig } from './event-body.ts';
import type { NewEvent } from './event-document.ts';
import { isExcluded } from './excluded-networks.ts';
import { eventOrRejection, Tracked, trackedOf } from './track-results.ts';
import type { WriteBuffer } from './write-buffer.ts';

const maxBodyBytes = 1_048_576;

export function trackEvents(
  app: Server,
  {
    writeBuffer,
    settings,
    countryOf,
    claimFirst,
  }: { writeBuffer: WriteBuffer; settings: SettingsStore; countryOf: CountryOf; claimFirst: ClaimFirst },
) {
  app.post(
    '/v2/leadpulse/track',
    {
      config: { scope: 'leadpulse:write', bodyLimit: maxBodyBytes, itemsOnTheirOwn: true },
      schema: {
        operationId: 'trackEvents',
        summary: 'Track one or up to 1,000 events',
        description:
          'Responds once the events are stored durably. In a batch, each event has its own result: accepted, duplicate or rejected. A single invalid event fails with 400. ' +
          'An event is at most 32 KiB, at most 24 hours in the future, and not older than the retention in the settings (400 days by default). Send `message_id` to make retries safe.',
        body: TrackBody,
        response: { 202: success(Tracked) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        const now = new Date();
        const { accountId } = request.principal;
        const { events, event, ...members } = request.body;
        const chosen = await settings.cached(accountId);
        const receipt = { now, maxDays: chosen.retention_days, countryOf, isExcluded: (address: string) => isExcluded(address, chosen) };
        const made =
          events === undefined
            ? [
                single(
                  accountId,
                  { ...members, event: event ?? '' },
                  { receipt, chosen },
                  Number(request.headers['content-length'] ?? bytesOf(request.body)),
                ),
              ]
            : events.map((item) => admitEvent(eventOrRejection(accountId, item, receipt), chosen));
        const call = callOf(request);
        const good = made.flatMap((one, index) =>
          isRejection(one) ? [] : [newEventOf(one, call === undefined ? undefined : `${call} ${index}`)],
        );
        const stored = good.length > 0 ? await writeBuffer.store(good) : [];
        return { status: 202, data: trackedOf(made, stored), location: '/v2/leadpulse/events' };
      }),
  );
}

/** Throws VALIDATION_ERROR if the event is invalid; in a batch, it would only be rejected. */
function single(
  accountId: AccountId,
  body: EventBody,
  { receipt, chosen }: { receipt: Receipt; chosen: LeadpulseSettings },
  bytes: number,
): Event {
  if (bytes > maxEventBytes) throw invalid('/', 'too_big', tooBig);
  const ambiguity = ambiguityIn(body);
  if (ambiguity) throw ambiguity;
  const made = admitEvent(newEvent(accountId, body, receipt), chosen);
  if (isRejection(made)) throw invalid(made.path, made.code, made.message);
  return made;
}

/**
 * Identifies a request with an Idempotency-Key. A repeated request recognises its own events by it, and returns the same
 * results even if the first one crashed before its response was stored.
 */
function callOf(request: Parameters<typeof claimKeyOf>[0]): string | undefined {
  const key = claimKeyOf(request);
  return key === undefined
    ? undefined
    : createHash('sha256')
        .update(`${key} ${fingerprintOf(request)}`)
        .digest('base64url')
        .slice(0, 22);
}

/** An event without a message ID gets one from its request. */
const newEventOf = (event: Event, call: string | undefined): NewEvent =>
  call === undefined ? { event } : { event: event.message_id === event.id ? { ...event, message_id: `call ${call}` } : event, call };
