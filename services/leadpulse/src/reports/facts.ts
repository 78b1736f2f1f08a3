import type { AccountId } from '@mp/ids';
import type { EventsStore, ReportEvent, ReportQuery } from '../events/events-store.ts';
import { type SessionsStore, streamOf } from '../sessions/sessions-store.ts';
import type { Fact } from './query-dimension.ts';

export type FactStores = { events: EventsStore; sessions: SessionsStore };

/** Sessions are looked up for this many events at once. */
const batchSize = 5_000;

/** The events of a query with their sessions, sorted by visitor, in batches. */
export async function* factBatches({ events, sessions }: FactStores, accountId: AccountId, query: ReportQuery): AsyncGenerator<Fact[]> {
  async function joined(batch: readonly ReportEvent[]): Promise<Fact[]> {
    const found = await sessions.ofVisitors(accountId, [...new Set(batch.map(({ visitor }) => visitor))], query);
    return batch.map((event) => ({
      event,
      session: found.get(streamOf(event))?.find(({ first, last }) => first.at <= event.time && event.time <= last.at),
    }));
  }

  let batch: ReportEvent[] = [];
  for await (const event of events.byVisitor(accountId, query)) {
    batch.push(event);
    if (batch.length < batchSize) continue;
    yield await joined(batch);
    batch = [];
  }
  yield await joined(batch);
}

/** The same events, one by one. */
export async function* facts(stores: FactStores, accountId: AccountId, query: ReportQuery): AsyncGenerator<Fact> {
  for await (const batch of factBatches(stores, accountId, query)) yield* batch;
}
