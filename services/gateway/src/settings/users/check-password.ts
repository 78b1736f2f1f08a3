import { ApiError, invalid } from '@mp/contracts/errors';
import type { AttemptsStore } from './attempts-store.ts';
import { isPassword } from './password.ts';
import { guardedBy } from './password-attempts.ts';
import type { UserRow } from './user.ts';

/** Checks the current password of a signed-in user. Wrong ones are counted as when signing in. */
export async function checkPassword(
  user: UserRow,
  current: string,
  { attempts, address, now }: { attempts: AttemptsStore; address: string; now: Date },
) {
  const guarded = guardedBy(user.account_id, user.email ?? user.id, address);
  const wait = await attempts.begin(guarded, now);
  if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many wrong passwords.', { retryAfter: wait });
  if (!(await isPassword(current, user.password))) throw invalid('/current_password', 'invalid_value', 'This is not the current password.');
  await attempts.forget(guarded);
}
