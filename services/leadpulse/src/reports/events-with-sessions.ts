import type { AccountId } from '@mp/ids';
import type { EventsStore } from '../events/events-store.ts';
import type { ReportEvent, ReportQuery } from '../events/report-events.ts';
import { type SessionsStore, streamOf } from '../sessions/sessions-store.ts';
import type { SessionEvent } from './query-dimension.ts';

export type SessionEventStores = { events: EventsStore; sessions: SessionsStore };

/** Sessions are looked up for this many events at once. */
const batchSize = 5_000;

/** The events of a query with their sessions, in batches; sorted by visitor unless given otherwise. */
export async function* batchesWithSessions(
  { events, sessions }: SessionEventStores,
  accountId: AccountId,
  query: ReportQuery,
  sorted: AsyncIterable<ReportEvent> = events.byVisitor(accountId, query),
): AsyncGenerator<SessionEvent[]> {
  async function joined(batch: readonly ReportEvent[]): Promise<SessionEvent[]> {
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
export async function* withSessions(...parameters: Parameters<typeof batchesWithSessions>): AsyncGenerator<SessionEvent> {
  for await (const batch of batchesWithSessions(...parameters)) yield* batch;
}
