import type { Transaction } from '@mp/service-kit/mongo';
import type { Owner } from '../second-factors/factor.ts';
import type { FactorsStore } from '../second-factors/factors-store.ts';
import type { RecoveryCodesStore } from '../second-factors/recovery-codes-store.ts';
import type { SignInStepsStore } from '../second-factors/sign-in-steps-store.ts';

type Deps = { factors: FactorsStore; recoveryCodes: RecoveryCodesStore; signInSteps: SignInStepsStore };

/** Removes everything with which a user proves a second factor, and what was begun with it. Returns how many factors there were. */
export async function removeAllFactors(tx: Transaction, user: Owner, { factors, recoveryCodes, signInSteps }: Deps): Promise<number> {
  await recoveryCodes.removeAll(tx, user);
  await signInSteps.withdraw(tx, user);
  return factors.removeAll(tx, user);
}
