import { createHash } from 'node:crypto';
import type { AuditRow } from './audit-row.ts';

/** An entry that is part of the chain. Those of version 0.1.0 have neither sequence nor hash. */
export type ChainedRow = AuditRow & { sequence: number; hash: string };

export const isChained = (row: AuditRow): row is ChainedRow => row.sequence !== undefined && row.hash !== undefined;

/** SHA-256, in hex, of the entry and the hash of the one before, so that no entry can be changed, removed or inserted unnoticed. */
export function entryHash(previous: string | null, entry: Omit<ChainedRow, 'hash'>): string {
  const { _id, account_id, sequence, actor_id, action, target_id, details = {}, request_id, created_at } = entry;
  const content = [previous, sequence, _id, account_id, actor_id, action, target_id, details, request_id, created_at.toISOString()];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/**
 * `changed`: the entry is not what was written. `missing`: there is none with this sequence. `inserted`: the platform has not written it.
 * The sequence is null for an entry outside the chain, which has none or that of a deleted one.
 */
export type ChainProblem = { sequence: number | null; problem: 'changed' | 'missing' | 'inserted' };

type End = { sequence: number; hash: string | null };

/** The first entry that is not as it was written, from the one after `from` up to `head`; undefined if there is none. */
export async function brokenEntry(entries: AsyncIterable<ChainedRow>, from: End, head: End): Promise<ChainProblem | undefined> {
  let { sequence, hash } = from;
  for await (const entry of entries) {
    sequence += 1;
    if (entry.sequence !== sequence) return { sequence, problem: 'missing' };
    if (entry.hash !== entryHash(hash, entry)) return { sequence, problem: 'changed' };
    hash = entry.hash;
  }
  if (sequence < head.sequence) return { sequence: sequence + 1, problem: 'missing' };
  return hash === head.hash ? undefined : { sequence, problem: 'changed' };
}

type Counted = { newest: number; head: number; others: number; expected: number };

/** Whether an entry is beyond the newest of the chain, or others are outside the chain than those that were there before it began. */
export function insertedEntry({ newest, head, others, expected }: Counted): ChainProblem | undefined {
  if (newest > head) return { sequence: newest, problem: 'inserted' };
  return others === expected ? undefined : { sequence: null, problem: others > expected ? 'inserted' : 'missing' };
}
