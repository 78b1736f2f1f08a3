import { quarterMs } from '../rollups/rollup.ts';
import type { Range } from '../rollups/rollups-store.ts';
import { type Bound, type Estimate, estimateOf, exactly, levelFor } from '../rollups/sample.ts';
import { isSpan, quartersADay, type Span } from '../rollups/spans.ts';
import type { VisitorDaysStore } from '../rollups/visitor-days-store.ts';
import type { AnalyticsRange, Bucket } from './range.ts';

/** How many days of visitors are read, each one visitor on one UTC day, to count the visitors of the range, and of an interval. */
export const rangeBound: Bound = { exact: 50_000, sampled: 12_000 };
export const intervalBound: Bound = { exact: 5_000, sampled: 5_000 };

const wholeDay: Span = quartersADay;
const dayMs = quartersADay * quarterMs;
const spanOf = ({ start, end }: Bucket) => (end.getTime() - start.getTime()) / quarterMs;

/** Distinct visitors of the whole range and of each of its intervals, for a cost that does not grow with their number. */
export async function countVisitors(
  visitorDays: VisitorDaysStore,
  accountId: string,
  { from, to, buckets }: AnalyticsRange,
  bots: boolean,
  { whole, interval }: { whole: Bound; interval: Bound } = { whole: rangeBound, interval: intervalBound },
): Promise<{ total: Estimate; series: Estimate[] }> {
  const wanted = new Set([wholeDay, ...buckets.map(spanOf).filter(isSpan)]);
  const kept = await visitorDays.spansIn(accountId, { from, to }, bots, [...wanted]);

  /** Visitor-days of the UTC days that the time touches. */
  function rowsOf(range: Range): number {
    let rows = 0;
    for (let day = Math.floor(range.from.getTime() / dayMs) * dayMs; day < range.to.getTime(); day += dayMs)
      rows += kept(new Date(day), wholeDay);
    return rows;
  }

  /** Whether somebody was there for certain: on a UTC day that is all in the range. */
  function leastOf({ from: first, to: end }: Range): 0 | 1 {
    for (let day = Math.ceil(first.getTime() / dayMs) * dayMs; day + dayMs <= end.getTime(); day += dayMs)
      if (kept(new Date(day), wholeDay) > 0) return 1;
    return 0;
  }

  async function read(range: Range, bound: Bound): Promise<Estimate> {
    const level = levelFor(rowsOf(range), bound);
    return estimateOf(await visitorDays.count(accountId, range, bots, level), level, { least: leastOf(range) });
  }

  const total = await read({ from, to }, whole);
  const series: Estimate[] = [];
  for (const { start, end } of buckets) {
    const span = spanOf({ start, end });
    if (isSpan(span)) series.push(exactly(kept(start, span)));
    else series.push(start <= from && end >= to ? total : await read({ from: start, to: end }, interval));
  }
  return { total, series };
}
