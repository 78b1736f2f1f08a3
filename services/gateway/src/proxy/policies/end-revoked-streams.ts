import type { Credential } from '../../credentials/credential.ts';
import { dueOf } from '../../credentials/second-factor-proof.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../routes/route.ts';
import { type AuthenticateParts, hasExpired } from './authenticate.ts';
import { authorize } from './authorize.ts';

/** A revocation empties the caches of credentials of every gateway, so a stream ends within this time after it. */
const checkEveryMs = 500;

type Parts = Pick<AuthenticateParts, 'keys' | 'tokens' | 'sessions'> & { now: () => number };

export type EndOnceRevoked = ReturnType<typeof createEndOnceRevoked>;

/**
 * Calls `end` for a response that stays open, once its request would no longer be admitted: its credential was revoked, changed or
 * has expired, its session has ended, its user was deleted or must add or prove a second factor, or its account was suspended.
 */
export function createEndOnceRevoked({ keys, tokens, sessions, now }: Parts) {
  const caches = { key: keys, token: tokens, session: sessions };

  async function isAdmitted(exchange: Exchange, { kind, hash }: Credential, route: Route): Promise<boolean> {
    const current = await caches[kind].find(hash);
    if (!current || hasExpired(current, now()) || !current.allowsAddress(exchange.address)) return false;
    authorize(exchange, current, route);
    return dueOf(current, { stepUp: false, now: now() }) === undefined;
  }

  return function endOnceRevoked(exchange: Exchange, { credential, route }: { credential: Credential; route: Route }, end: () => void) {
    let isChecking = false;
    const check = async () => {
      if (isChecking) return;
      isChecking = true;
      // Also when the credential cannot be read: nobody stays authenticated by a failure.
      if (!(await isAdmitted(exchange, credential, route).catch(() => false))) end();
      isChecking = false;
    };
    const timer = setInterval(() => void check(), checkEveryMs);
    exchange.res.once('close', () => clearInterval(timer));
  };
}
