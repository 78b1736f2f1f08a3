import { createHash } from 'node:crypto';

/**
 * Every visitor has a level by a hash of its id: half of them 0, a quarter 1, an eighth 2 … Those at a level or above
 * are a fair share of all visitors, the same ones in every set. So what is too much to read is counted among them, and
 * multiplied: a sketch that keeps its rows, which therefore may still change.
 */
export const highestLevel = 20;

export function levelOf(visitor: string): number {
  const bits = createHash('sha256').update(visitor).digest().readUInt32BE(0);
  return Math.min(Math.clz32(bits), highestLevel);
}

/** Up to `exact` rows all are read; of more, a sample of at most `sampled` is expected. */
export type Bound = { exact: number; sampled: number };

/** The lowest level that keeps to the bound. */
export const levelFor = (rows: number, { exact, sampled }: Bound): number =>
  rows <= exact ? 0 : Math.min(highestLevel, Math.max(0, Math.ceil(Math.log2(rows / sampled))));

/** The levels that are read for one. */
export const levelsFrom = (level: number): number[] => Array.from({ length: highestLevel - level + 1 }, (_, index) => level + index);

/** How many there are, and the relative standard error of that: 0 where all were counted. */
export type Estimate = { count: number; error: number };

export const exactly = (count: number): Estimate => ({ count, error: 0 });

/** `seen` of them were counted at a level; there are from `least` to `most`. */
export function estimateOf(seen: number, level: number, { least = 0, most = Number.POSITIVE_INFINITY } = {}): Estimate {
  if (level === 0) return exactly(seen);
  const share = 2 ** -level;
  const count = Math.min(most, Math.max(least, seen, Math.round(seen / share)));
  return { count, error: seen === 0 ? 1 : Math.round(Math.sqrt((1 - share) / seen) * 1e4) / 1e4 };
}
