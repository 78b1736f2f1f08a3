import { share } from './format-number.ts';

/** How a metric changed, in words, and whether that is good; undefined without an earlier value. */
export type Change = { words: string; isGood: boolean | undefined };

type Options = { lowerIsBetter?: boolean };

/** Nothing has a sign. */
const signOf = (change: number) => (change === 0 ? '' : change < 0 ? '−' : '+');

const direction = (change: number, { lowerIsBetter = false }: Options) => (change === 0 ? undefined : change > 0 !== lowerIsBetter);

/** The relative change of a number. */
export function relativeChange(now: number | undefined, before: number | undefined, options: Options = {}): Change | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined;
  const change = now / before - 1;
  return { words: `${signOf(change)}${share(Math.abs(change))}`, isGood: direction(change, options) };
}

const points = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** The change of a share, in percentage points. */
export function pointsChange(now: number | null | undefined, before: number | null | undefined, options: Options = {}): Change | undefined {
  if (now == null || before == null) return undefined;
  const change = Math.round((now - before) * 1_000) / 10;
  return { words: `${signOf(change)}${points.format(Math.abs(change))} pts`, isGood: direction(change, options) };
}
