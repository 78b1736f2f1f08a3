import { ContactIdentified, EventBackfilled, EventTracked, VisitorIdentified } from '@mp/contracts/events/leadpulse';
import type { AccountId, ContactId, VisitorId } from '@mp/ids';
import { isDuplicateKey, type Mongo, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { activityOf } from '../events/activity.ts';
import type { Event } from '../events/event.ts';
import type { EventsStore } from '../events/events-store.ts';
import { asSurvivors } from '../identities/as-survivors.ts';
import { contactOfClaims } from '../identities/contact-of-claims.ts';
import type { IdentitiesStore } from '../identities/identities-store.ts';
import { createTally } from '../rollups/rollup.ts';
import type { RollupsStore } from '../rollups/rollups-store.ts';
import type { VisitorDaysStore } from '../rollups/visitor-days-store.ts';
import { before, foldSessions } from '../sessions/session.ts';
import { type SessionsStore, type Stretch, streamOf } from '../sessions/sessions-store.ts';
import { idleMsOf } from '../settings/settings.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { newVisitor, type Visitor, withClaims, withEvent, withSessions } from '../visitors/visitor.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { identificationOf } from './apply-persons.ts';
import { contributionsOfEvent, contributionsOfSession } from './contributions.ts';

export type Counting = {
  mongo: Mongo;
  outbox: Outbox;
  events: EventsStore;
  visitors: VisitorsStore;
  sessions: SessionsStore;
  rollups: RollupsStore;
  visitorDays: VisitorDaysStore;
  identities: IdentitiesStore;
  settings: Pick<SettingsStore, 'cached'>;
  lookUpContacts: (accountId: AccountId, claims: readonly string[]) => Promise<void>;
  /** Waits until contacts has confirmed the persons of these events, or for so long that it is probably unavailable. */
  untilApplied: (accountId: AccountId, ids: readonly string[]) => Promise<void>;
};

/** The bytes of events that fit into one transaction with what follows from them, unless almost every event has rollup rows of its own. */
const maxBytes = 3 * 1024 * 1024;

/** The oldest uncounted events of an account. */
export const nextBatch = ({ events }: Pick<Counting, 'events'>, accountId: AccountId, limit: number): Promise<Event[]> =>
  events.pendingOf(accountId, { limit, maxBytes });

/**
 * Counts uncounted events of an account, in the order of their IDs. Visitors, sessions, rollups, published events and the mark that the
 * events are counted are written in one transaction: a crash repeats the work but never its effect, and two processes
 * that count the same events have the effect of one. Returns the number of counted events.
 *
 * Events that identify their contact come first, and the others once contacts has confirmed it: a call to the Segment-compatible API
 * must see the contact as the `identify` before it described it.
 */
export async function countBatch(deps: Counting, accountId: AccountId, batch: readonly Event[]): Promise<number> {
  const { identities, lookUpContacts } = deps;
  if (batch.length === 0) return 0;
  const [naming, others] = [batch.filter(({ person }) => person), batch.filter(({ person }) => !person)];
  if (naming.length > 0) {
    const counted = await countTogether(deps, accountId, naming);
    await deps.untilApplied(
      accountId,
      naming.map(({ id }) => id),
    );
    return counted + (others.length > 0 ? await countBatch(deps, accountId, others) : 0);
  }
  const unresolved = await identities.unresolved(accountId, claimsOf(batch));
  if (unresolved.length > 0) await lookUpContacts(accountId, unresolved);
  return countTogether(deps, accountId, batch);
}

async function countTogether(deps: Counting, accountId: AccountId, batch: readonly Event[]): Promise<number> {
  const idleMs = idleMsOf(await deps.settings.cached(accountId));
  const origin = { correlationId: batch[0]?.id ?? accountId, causationId: null };
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await deps.mongo.transaction(origin, (tx) => countInTransaction(tx, { ...deps, idleMs }, accountId, batch));
    } catch (error) {
      // Another process inserted the same visitor or identifier at the same time; it can be read now.
      if (!isDuplicateKey(error) || attempt >= 5) throw error;
    }
  }
}

const claimsOf = (events: readonly Event[]) => [...new Set(events.flatMap(({ claims }) => claims))];

type Seen = { visitor: Visitor; before: Visitor | undefined; events: Event[] };

async function countInTransaction(
  tx: Transaction,
  deps: Counting & { idleMs: number },
  accountId: AccountId,
  uncounted: readonly Event[],
): Promise<number> {
  const pending = await deps.events.stillPending(
    tx,
    accountId,
    uncounted.map(({ id }) => id),
  );
  const batch = uncounted.filter(({ id }) => pending.has(id));
  if (batch.length === 0) return 0;
  const { seen, survivors } = await seenVisitors(tx, deps, accountId, batch);
  const tally = createTally();
  for (const event of batch) tally.add(contributionsOfEvent(event));
  await foldIntoSessions(tx, deps, accountId, { seen, tally });
  await deps.rollups.add(tx, accountId, tally.cells());
  await deps.visitorDays.add(
    tx,
    accountId,
    seen.flatMap(({ visitor, before: earlier, events }) =>
      events.map(({ bot, time }) => ({ visitor: visitor.id, known: earlier !== undefined, bot, at: time })),
    ),
  );
  await deps.visitors.write(
    tx,
    seen.map(({ visitor, before: known }) => ({
      visitor,
      before: known,
      attributing: known?.contact_id === null && visitor.contact_id !== null,
    })),
  );
  const identifiedAt = new Date().toISOString();
  const { eventsOf, insert } = deps.outbox;
  const identified = eventsOf(
    tx,
    VisitorIdentified,
    accountId,
    seen.flatMap(({ visitor: { id: visitor_id, contact_id }, before: known }) =>
      contact_id !== null && (known?.contact_id ?? null) === null
        ? [{ visitor_id, contact_id: survivors.get(contact_id) ?? contact_id, at: identifiedAt }]
        : [],
    ),
  );
  await deps.events.markCounted(
    tx,
    seen.flatMap(({ visitor, events }) =>
      events.map(({ id, contact_id, person }) => ({ id, visitor: visitor.id, contact_id, identifies: person !== undefined })),
    ),
  );
  const published = seen
    .flatMap(({ events }) => events)
    .filter(({ backfill, contact_id }) => !backfill || contact_id !== null)
    .sort(byId);
  const activities = (isPast: boolean) =>
    published
      .filter(({ backfill }) => backfill === isPast)
      .map(asSurvivors(survivors))
      .map(activityOf);
  // What contacts writes of a past event is of the past, too.
  const past = { ...tx, startsWorkflows: false };
  await insert(tx, [
    ...batch.flatMap((event) =>
      event.person
        ? eventsOf(event.backfill ? past : tx, ContactIdentified, accountId, [identificationOf(accountId, event, event.person)])
        : [],
    ),
    ...identified,
    ...eventsOf(tx, EventTracked, accountId, activities(false)),
    ...eventsOf(tx, EventBackfilled, accountId, activities(true)),
  ]);
  return batch.length;
}

const byId = (a: Event, b: Event) => (a.id < b.id ? -1 : 1);

/** Returns the visitors after the events of the batch, the events with their contacts, and the survivors of merged contacts. */
async function seenVisitors(
  tx: Transaction,
  { visitors, identities }: Counting,
  accountId: AccountId,
  batch: readonly Event[],
): Promise<{ seen: Seen[]; survivors: ReadonlyMap<ContactId, ContactId> }> {
  const byKey = Map.groupBy(batch, ({ visitor_key }) => visitor_key);
  const stored = await visitors.byKeys(tx, accountId, [...byKey.keys()]);
  const claims = claimsOf(batch);
  const contacts = await identities.resolve(accountId, claims, tx);
  await identities.wait(
    tx,
    accountId,
    claims.filter((claim) => !contacts.has(claim)),
  );
  const identified = [...stored.values()].flatMap(({ contact_id }) => contact_id ?? []);
  const survivors = await identities.survivors(accountId, [...new Set([...identified, ...contacts.values()])], tx);
  const personOf = (contactId: ContactId) => survivors.get(contactId) ?? contactId;
  /** The visitor's own contact if the event names the same person, so that a merge makes no conflict. */
  const named = ({ claims: own }: Event, { contact_id }: Visitor) => {
    const contact = contactOfClaims(own, contacts);
    return contact_id !== null && contact !== null && personOf(contact) === personOf(contact_id) ? contact_id : contact;
  };

  const seen = [...byKey].flatMap(([key, these]) => {
    const events = these.toSorted((a, b) => before(placeOf(a), placeOf(b)));
    const [first] = events;
    if (!first) return [];
    const known = stored.get(key);
    let visitor = known ?? newVisitor(first);
    for (const event of events) {
      visitor = withEvent(visitor, event);
      if (event.claims.length > 0) visitor = withClaims(visitor, event, named(event, visitor));
    }
    const owned = events.map((event) => ({
      ...event,
      contact_id: event.claims.length === 0 ? visitor.contact_id : contactOfClaims(event.claims, contacts),
    }));
    return [{ visitor, before: known, events: owned }];
  });
  return { seen, survivors };
}

const placeOf = ({ time, message_id }: Event) => ({ at: time, message_id });

/** Updates the sessions, their share of the rollups, and the session fields of the visitors. */
async function foldIntoSessions(
  tx: Transaction,
  { sessions, idleMs }: Counting & { idleMs: number },
  accountId: AccountId,
  { seen, tally }: { seen: Seen[]; tally: ReturnType<typeof createTally> },
) {
  const streams = seen.flatMap(({ visitor, events }) =>
    [...Map.groupBy(events, ({ bot }) => bot)].map(([bot, own]) => ({ visitor: visitor.id, bot, events: own })),
  );
  const stored = await sessions.around(
    tx,
    accountId,
    streams.flatMap((stream) => stretchesOf(stream, idleMs)),
    idleMs,
  );
  const changes = streams.flatMap((stream) =>
    foldSessions(stored.get(streamOf(stream)) ?? [], stream.events, idleMs).map((change) => ({ ...change, visitor: stream.visitor })),
  );
  for (const { session, before: parts } of changes) {
    for (const part of parts) tally.add(contributionsOfSession(part), -1);
    tally.add(contributionsOfSession(session));
  }
  const written = Map.groupBy(await sessions.write(tx, accountId, changes), ({ visitor }) => visitor);
  const added = Map.groupBy(changes, ({ visitor }) => visitor);
  for (const one of seen) {
    const more = (added.get(one.visitor.id) ?? []).reduce((sum, { before: parts }) => sum + 1 - parts.length, 0);
    one.visitor = withSessions(one.visitor, written.get(one.visitor.id) ?? [], more);
  }
}

/** The time spans of a visitor's new events, split where a gap could separate sessions. `events` must be in order. */
function stretchesOf({ visitor, events }: { visitor: VisitorId; events: readonly Event[] }, idleMs: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { time } of events) {
    const open = stretches.at(-1);
    if (open && time.getTime() - open.to.getTime() < idleMs) open.to = time;
    else stretches.push({ visitor, from: time, to: time });
  }
  return stretches;
}
