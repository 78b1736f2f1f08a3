import { isAddress, line } from '../clean-fields.ts';
import { eventProperties, moneyOf } from '../event-fields.ts';
import type { MovedEvent, MovedRecord, Note } from '../records.ts';
import type { EventPage } from './types.ts';

/** What Klaviyo records of its own emails, messages and consents. */
const ofKlaviyo = new RegExp(
  [
    '^(received|sent|opened|clicked|bounced|dropped|skipped|failed to deliver) (automated response )?(email|sms|mms|push|whatsapp|rcs)( message)?$',
    '^marked email as spam$|^unsubscribed$|^(un)?subscribed (to|from) (list|(email|sms|push|whatsapp) marketing)$',
    '^consented to receive (sms|whatsapp)$|^updated email preferences$|^merged profile$',
  ].join('|'),
  'i',
);

/** Metrics of shops whose value is that of a product or an order which is no, or not yet, or already counted revenue. */
const withoutRevenue = /^(ordered product|(partially )?fulfilled|cancell?ed|refunded|started|checkout|added|viewed|confirmed|delivered)\b/i;

/** `since` is the first day; `currency` is that of values without one. */
type Setting = { since: string; currency: string | undefined };

/** The events of a page, and how many of each kind cannot come, with why. */
export function eventRecords({ data, included }: EventPage, setting: Setting): MovedRecord[] {
  const related = new Map((included ?? []).map(({ type, id, attributes }) => [`${type} ${id}`, attributes ?? {}]));
  const skipped = new Map<string, { note: Note; count: number }>();
  const records = data.flatMap((event): MovedRecord[] => {
    const { metric, profile } = event.relationships ?? {};
    const name = related.get(`metric ${metric?.data?.id}`)?.name;
    const made = eventOf(event, name, related.get(`profile ${profile?.data?.id}`) ?? {}, setting);
    if ('kind' in made) return [made];
    const key = JSON.stringify(made);
    skipped.set(key, { note: made, count: (skipped.get(key)?.count ?? 0) + 1 });
    return [];
  });
  return [...records, ...[...skipped.values()].map(({ note, count }): MovedRecord => ({ kind: 'note', ...note, count }))];
}

type Attributes = NonNullable<NonNullable<EventPage['included']>[number]['attributes']>;

function eventOf(
  { id, attributes: { datetime, event_properties } }: EventPage['data'][number],
  name: string | null | undefined,
  { email, external_id }: Partial<Attributes>,
  { since, currency }: Setting,
): MovedEvent | Note {
  const notes: Note[] = [];
  const event = line(name?.replace(/^[\s$]+/, ''), 100, 'name of an event', notes);
  if (event === undefined) return { about: 'events', why: 'have no name' };
  const about = `events ${event}`;
  if (ofKlaviyo.test(event)) return { about, why: 'are about emails, messages and consents in Klaviyo, not those of this account' };
  const time = Date.parse(datetime ?? '');
  if (!(time >= Date.parse(since) && time <= Date.now())) return { about, why: `have no time between ${since} and now` };
  const contact = email && isAddress(email.trim()) ? { email: email.trim() } : withExternalId(external_id, notes);
  if (!contact) return { about, why: 'are of profiles without an email address or external ID' };
  // Klaviyo has there what is too large for its segments.
  const { $extra: _, ...properties } = event_properties ?? {};
  const value = moneyOf(properties.$value, properties.$value_currency ?? properties.$currency_code ?? currency);
  const isRevenue = !withoutRevenue.test(event);
  if (value && !isRevenue) notes.push({ about: `the value of ${event}`, why: 'is a property and no revenue, which is that of the order' });
  return {
    kind: 'event',
    body: {
      ...{ event, message_id: id, timestamp: new Date(time).toISOString(), ...contact },
      ...{ properties: eventProperties(properties, event, notes), ...(isRevenue && value && { value }) },
    },
    notes,
  };
}

function withExternalId(given: string | null | undefined, notes: Note[]) {
  const external_id = line(given, 255, 'external_id', notes);
  return external_id === undefined ? undefined : { external_id };
}
