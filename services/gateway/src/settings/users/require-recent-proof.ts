import { isRecent, proofIsDue } from '../../credentials/second-factor-proof.ts';
import type { SignedIn } from './signed-in.ts';

/**
 * Throws SECOND_FACTOR_REQUIRED unless the user has just proven who they are: with a second factor or, if they have none, by signing
 * in or with the password. Somebody who finds an open browser must not be able to add a factor of their own.
 */
export function requireRecentProof({ session, user }: Pick<SignedIn, 'session' | 'user'>, now: Date) {
  const provenAt = user.has_second_factor
    ? session.factor_at?.getTime()
    : Math.max(session.created_at.getTime(), session.password_at?.getTime() ?? 0);
  if (!isRecent(provenAt, now.getTime())) throw proofIsDue();
}
