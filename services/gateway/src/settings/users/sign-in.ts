import { ApiError } from '@mp/contracts/errors';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { AttemptsStore } from './attempts-store.ts';
import type { OpenSession, Outcome } from './open-session.ts';
import { isPassword } from './password.ts';
import { guardedBy } from './password-attempts.ts';
import type { SignInLinksStore } from './sign-in-links-store.ts';
import { SignInEmail, type UserRow } from './user.ts';
import type { UsersStore } from './users-store.ts';

const wrongLink = () => new ApiError('UNAUTHORIZED', 'This sign-in link is not valid: unknown, already used or expired.');
const wrongPassword = () => new ApiError('UNAUTHORIZED', 'The email address or password is wrong.');

const Body = z.union([
  z.strictObject({ token: z.string().min(1).max(200) }),
  z.strictObject({ email: SignInEmail, password: z.string().normalize('NFC').min(1).max(200), account_id: z.string().max(60).optional() }),
]);

type Deps = {
  users: UsersStore;
  signInLinks: SignInLinksStore;
  attempts: AttemptsStore;
  failedSignIns: FailedAuthLimiter;
  mongo: Mongo;
  openSession: OpenSession;
};

/**
 * Signs in with a one-time link, or with email address and password. If the password is right in several accounts, one of them is then
 * chosen; a user with a second factor then proves that.
 */
export function signIn(app: Server, deps: Deps) {
  const { users, signInLinks, failedSignIns, mongo, openSession } = deps;

  app.post('/auth/sign-in', { schema: { hide: true, body: Body } }, async (request, reply) => {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const { body } = request;
    const now = new Date();
    const origin = { correlationId: request.id, causationId: null };

    let outcome: Outcome | undefined;
    if ('token' in body) {
      outcome = await mongo.transaction(origin, async (tx) => {
        const link = await signInLinks.use(tx, body.token, now);
        const user = link && (await users.find(link.account_id, link.user_id, tx));
        return user && openSession.afterFirstFactor(tx, request, { user, by: 'link', now });
      });
    } else {
      const right = await byPassword(deps, body, address, now);
      outcome = await mongo.transaction(origin, async (tx) => {
        const current: UserRow[] = [];
        for (const { account_id, id, password } of right) {
          // Checking takes long: the password may have been replaced, or a second factor added, in the meantime.
          const user = await users.find(account_id, id, tx);
          if (user?.password === password) current.push(user);
        }
        const [user, ...others] = current;
        if (others.length > 0) return openSession.accountChoice(tx, current, { by: 'password', now });
        return user && openSession.afterFirstFactor(tx, request, { user, by: 'password', now });
      });
    }
    if (!outcome) {
      failedSignIns.count(address);
      throw 'token' in body ? wrongLink() : wrongPassword();
    }
    return openSession.reply(reply, outcome);
  });
}

type Given = { email: string; password: string; account_id?: string | undefined };

/** The users with this address and password, of the named account only. Unknown addresses are rejected as slowly, and counted as strictly, as known ones. */
async function byPassword(
  { attempts, users, failedSignIns }: Deps,
  { email, password, account_id }: Given,
  address: string,
  now: Date,
): Promise<UserRow[]> {
  const known = (await users.findByEmail(email)).filter((user) => account_id === undefined || user.account_id === account_id);
  const tried = known.length === 0 ? [undefined] : known;
  const right: UserRow[] = [];
  const waits: number[] = [];
  for (const user of tried) {
    const wait = await attempts.begin(guardedBy(user?.account_id, email, address), now);
    if (wait > 0) waits.push(wait);
    else if ((await isPassword(password, user?.password ?? null)) && user) right.push(user);
  }
  if (waits.length === tried.length) {
    // Counts as a failure of the IP address too, so that persistent guessing is soon rejected without any lookup.
    failedSignIns.count(address);
    throw new ApiError('RATE_LIMITED', 'Too many wrong passwords for this email address.', { retryAfter: Math.min(...waits) });
  }
  for (const user of right) await attempts.forget(guardedBy(user.account_id, email, address));
  return right;
}
