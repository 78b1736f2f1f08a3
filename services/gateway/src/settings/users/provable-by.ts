import type { Transaction } from '@mp/service-kit/mongo';
import type { Owner, ProvenBy } from '../second-factors/factor.ts';
import type { FactorsStore } from '../second-factors/factors-store.ts';
import type { RecoveryCodesStore } from '../second-factors/recovery-codes-store.ts';

type Deps = { factors: Pick<FactorsStore, 'list'>; recoveryCodes: Pick<RecoveryCodesStore, 'count'> };

/** With what the user can prove the second factor. */
export async function provableBy(user: Owner, { factors, recoveryCodes }: Deps, tx?: Transaction): Promise<ProvenBy[]> {
  const kinds = new Set<ProvenBy>((await factors.list(user, tx)).map(({ kind }) => kind));
  if ((await recoveryCodes.count(user, tx)) > 0) kinds.add('recovery_code');
  return [...kinds];
}
