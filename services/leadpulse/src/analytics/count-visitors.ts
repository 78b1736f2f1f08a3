import { quarterMs } from '../rollups/rollup.ts';
import type { Range } from '../rollups/rollups-store.ts';
import { type Estimate, estimateOf, exactly, levelFor } from '../rollups/sample.ts';
import { isSpan, quartersADay, type Span } from '../rollups/spans.ts';
import type { VisitorDaysStore } from '../rollups/visitor-days-store.ts';
import type { AnalyticsRange, Bucket } from './range.ts';

/** As many rows are read to count the visitors of a time, and no more; of more a sample is counted. */
export const mostRows = 25_000;

/** Of each interval of a series that is no hour or day, at least. */
const fewestRows = 2_500;

const wholeDay: Span = quartersADay;
const dayMs = quartersADay * quarterMs;
const spanOf = ({ start, end }: Bucket) => (end.getTime() - start.getTime()) / quarterMs;

/** Distinct visitors of the whole range and of each of its intervals, for a cost that does not grow with their number. */
export async function countVisitors(
  visitorDays: VisitorDaysStore,
  accountId: string,
  { from, to, buckets }: AnalyticsRange,
  bots: boolean,
  most = mostRows,
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

  async function read(range: Range, limit: number): Promise<Estimate> {
    const level = levelFor(rowsOf(range), limit);
    return estimateOf(await visitorDays.count(accountId, range, bots, level), level);
  }

  const total = await read({ from, to }, most);
  const others = buckets.filter((bucket) => !isSpan(spanOf(bucket)));
  const limit = Math.max(Math.min(most, fewestRows), Math.floor(most / Math.max(1, others.length)));
  const series: Estimate[] = [];
  for (const { start, end } of buckets) {
    const span = spanOf({ start, end });
    if (isSpan(span)) series.push(exactly(kept(start, span)));
    else series.push(start <= from && end >= to ? total : await read({ from: start, to: end }, limit));
  }
  return { total, series };
}
