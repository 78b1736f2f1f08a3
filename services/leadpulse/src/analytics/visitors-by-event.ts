import type { AccountId } from '@mp/ids';
import type { EventsStore } from '../events/events-store.ts';
import { maxEventsNow } from '../reports/run-report.ts';
import { quarterMs } from '../time/quarters.ts';
import { type AnalyticsRange, bucketNumbers } from '../time/range.ts';

/** Counts the visitors of events or pages from the stored events; undefined if there are too many. */
export async function visitorsByEvent(
  { events }: { events: Pick<EventsStore, 'presences'> },
  accountId: AccountId,
  { range, ...query }: { by: 'page' | 'event'; values: readonly string[]; range: AnalyticsRange; bots: boolean },
) {
  const found = await events.presences(accountId, { ...query, from: range.from, to: range.to, limit: maxEventsNow });
  if (!found) return undefined;
  const numbers = bucketNumbers(range);
  const distinct = (rows: typeof found) => new Set(rows.map(({ visitor }) => visitor)).size;
  const byValue = Map.groupBy(found, ({ value }) => value);
  const byBucket = Map.groupBy(found, ({ quarter }) => numbers[quarter - range.from.getTime() / quarterMs]);
  return {
    of: (value: string) => distinct(byValue.get(value) ?? []),
    inBucket: (number: number) => distinct(byBucket.get(number) ?? []),
  };
}
