import { createHash } from 'node:crypto';
import type { VisitorId } from '@mp/ids';

/**
 * Every visitor has a level by a hash of its ID: half of them 0, a quarter 1, an eighth 2 and so on. The visitors at or
 * above a level are a fair sample of all visitors, the same in every set. A set that is too large to read is counted in
 * the sample and scaled up. Unlike in a sketch, the rows remain and can change.
 */
export const maxLevel = 20;

export function levelOf(visitor: VisitorId): number {
  const bits = createHash('sha256').update(visitor).digest().readUInt32BE(0);
  return Math.min(Math.clz32(bits), maxLevel);
}

/** Up to `exact` rows are all read; beyond that, a sample of about `sampled` rows at most. */
export type Bound = { exact: number; sampled: number };

/** The lowest level whose sample is within the bound. */
export const levelFor = (rows: number, { exact, sampled }: Bound): number =>
  rows <= exact ? 0 : Math.min(maxLevel, Math.max(0, Math.ceil(Math.log2(rows / sampled))));

/** A level and all levels above it. */
export const levelsFrom = (level: number): number[] => Array.from({ length: maxLevel - level + 1 }, (_, index) => level + index);

/** A count and its relative standard error: 0 if it is exact. */
export type Estimate = { count: number; error: number };

export const exactly = (count: number): Estimate => ({ count, error: 0 });

/** Scales up the `seen` visitors counted at a level, bounded by `least` and `most`. */
export function estimateOf(seen: number, level: number, { least = 0, most = Number.POSITIVE_INFINITY } = {}): Estimate {
  if (level === 0) return exactly(seen);
  const share = 2 ** -level;
  const count = Math.min(most, Math.max(least, seen, Math.round(seen / share)));
  return { count, error: seen === 0 ? 1 : Math.round(Math.sqrt((1 - share) / seen) * 1e4) / 1e4 };
}
