import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { type DefinitionIndex, indexDefinitions } from './definition-index.ts';
import type { SegmentsStore } from './segments-store.ts';

const maxAccounts = 1_000;

/**
 * The definitions of an account as the transaction sees them.
 *
 * Each transaction reads the version of the account's definitions in its own snapshot, and a version always stands for the
 * same set. An evaluation therefore uses exactly the segments in its snapshot, whatever this process has cached.
 */
export function createDefinitionCache(segments: SegmentsStore) {
  const cached = new Map<string, { version: number; index: DefinitionIndex }>();

  function keep(accountId: AccountId, entry: { version: number; index: DefinitionIndex }) {
    cached.delete(accountId);
    cached.set(accountId, entry);
    const [oldest] = cached.keys();
    if (cached.size > maxAccounts && oldest !== undefined) cached.delete(oldest);
  }

  return async function definitionsOf(tx: Transaction, accountId: AccountId): Promise<DefinitionIndex> {
    const version = await segments.definitionsVersion(tx, accountId);
    const known = cached.get(accountId);
    if (known?.version === version) {
      keep(accountId, known);
      return known.index;
    }
    const index = indexDefinitions(version === 0 ? [] : await segments.allOf(accountId, tx));
    // A transaction with an older snapshot must not replace newer definitions.
    if (!known || known.version < version) keep(accountId, { version, index });
    return index;
  };
}
