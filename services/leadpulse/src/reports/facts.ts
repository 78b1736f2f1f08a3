import type { AccountId } from '@mp/ids';
import type { EventsStore, ReportEvent, ReportQuery } from '../events/events-store.ts';
import { type SessionsStore, streamOf } from '../sessions/sessions-store.ts';
import type { Fact } from './query-dimension.ts';

export type FactStores = { events: EventsStore; sessions: SessionsStore };

/** Sessions are looked up for this many events at once. */
const batchSize = 5_000;

/** The events of a query with their sessions, in batches; sorted by visitor unless given otherwise. */
export async function* factBatches(
  { events, sessions }: FactStores,
  accountId: AccountId,
  query: ReportQuery,
  sorted: AsyncIterable<ReportEvent> = events.byVisitor(accountId, query),
): AsyncGenerator<Fact[]> {
  async function joined(batch: readonly ReportEvent[]): Promise<Fact[]> {
    const found = await sessions.ofVisitors(accountId, [...new Set(batch.map(({ visitor }) => visitor))], query);
    return batch.map((event) => ({
      event,
      session: found.get(streamOf(event))?.find(({ first, last }) => first.at <= event.time && event.time <= last.at),
    }));
  }

  let batch: ReportEvent[] = [];
  for await (const event of sorted) {
    batch.push(event);
    if (batch.length < batchSize) continue;
    yield await joined(batch);
    batch = [];
  }
  yield await joined(batch);
}

/** The same events, one by one. */
export async function* facts(...asked: Parameters<typeof factBatches>): AsyncGenerator<Fact> {
  for await (const batch of factBatches(...asked)) yield* batch;
}
