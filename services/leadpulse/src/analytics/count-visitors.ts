import type { AccountId } from '@mp/ids';
import type { Range } from '../rollups/rollups-store.ts';
import { type Bound, type Estimate, estimateOf, exactly, levelFor } from '../rollups/sample.ts';
import type { VisitorDaysStore } from '../rollups/visitor-days-store.ts';
import { isWindowLength, quartersADay, type WindowLength } from '../rollups/window-counts.ts';
import { quarterMs } from '../time/quarters.ts';
import type { AnalyticsRange, Bucket } from '../time/range.ts';

/** The maximum visitor-days (one visitor on one UTC day) that are read to count the visitors of the range, and of one interval. */
export const rangeBound: Bound = { exact: 50_000, sampled: 12_000 };
export const intervalBound: Bound = { exact: 5_000, sampled: 5_000 };

const wholeDay: WindowLength = quartersADay;
const dayMs = quartersADay * quarterMs;
const spanOf = ({ start, end }: Bucket) => (end.getTime() - start.getTime()) / quarterMs;

/** Counts the distinct visitors of the whole range and of each interval, at a cost that does not grow with their number. */
export async function countVisitors(
  visitorDays: VisitorDaysStore,
  accountId: AccountId,
  {
    range: { from, to, buckets },
    bots,
    bounds: { whole, interval } = { whole: rangeBound, interval: intervalBound },
  }: { range: AnalyticsRange; bots: boolean; bounds?: { whole: Bound; interval: Bound } | undefined },
): Promise<{ total: Estimate; series: Estimate[] }> {
  const wanted = new Set([wholeDay, ...buckets.map(spanOf).filter(isWindowLength)]);
  const kept = await visitorDays.spansIn(accountId, { from, to }, bots, [...wanted]);

  /** The visitor-days of all UTC days that overlap the range. */
  function rowsOf(range: Range): number {
    let rows = 0;
    for (let day = Math.floor(range.from.getTime() / dayMs) * dayMs; day < range.to.getTime(); day += dayMs)
      rows += kept(new Date(day), wholeDay);
    return rows;
  }

  /** 1 if a UTC day that lies fully within the range has a visitor, else 0: a lower bound for the estimate. */
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
    if (isWindowLength(span)) series.push(exactly(kept(start, span)));
    else series.push(start <= from && end >= to ? total : await read({ from: start, to: end }, interval));
  }
  return { total, series };
}
