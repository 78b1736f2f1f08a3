import { createHash } from 'node:crypto';
import type { Entry } from '../workflows/definition.ts';
import { valueAt } from '../workflows/value-at.ts';
import type { Run } from './run.ts';

export const openLock = 'open';

/** Matches the lock of an open run, with or without the value of `entry.key`. */
export const openLocks = /^open( |$)/;

/**
 * The lock under which the entry policy admits a run once; undefined for `every_time`. With `entry.key`, there is one per
 * value; runs without a value share one.
 */
export function entryLock({ policy, key }: Entry, data: Record<string, unknown>): string | undefined {
  if (policy === 'every_time') return undefined;
  const lock = policy === 'once' ? 'once' : openLock;
  const value = key === undefined ? undefined : valueAt({ data }, key);
  return value === undefined || value === null ? lock : `${lock} ${createHash('sha256').update(JSON.stringify(value)).digest('base64url')}`;
}

/** The lock of what caused a run. */
export const entryOf = (cause: string) => `entry ${cause}`;

/** The locks of a run that starts. `key` and `chain` name what caused it, `enrollment` the activation that starts each contact once. */
export const locksOf = (
  run: Pick<Run, 'id'> & { data: Record<string, unknown> },
  { key, chain, enrollment }: { key?: string | undefined; chain?: string | null | undefined; enrollment?: string | undefined },
  entry: Entry,
): string[] => {
  const lock = entryLock(entry, run.data);
  return [
    entryOf(key ?? run.id),
    ...(chain ? [`chain ${chain}`] : []),
    ...(enrollment ? [`enrollment ${enrollment}`] : []),
    ...(lock === undefined ? [] : [lock]),
  ];
};
