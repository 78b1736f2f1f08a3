import { ApiError } from '@mp/contracts/errors';
import { addressOf, networkOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { AttemptsStore } from '../users/attempts-store.ts';
import type { OpenSession } from '../users/open-session.ts';
import type { UserRow } from '../users/user.ts';
import type { UsersStore } from '../users/users-store.ts';
import { PasskeyProof } from './factor.ts';
import type { FactorsStore, PasskeyDocument } from './factors-store.ts';
import type { Passkeys } from './passkeys.ts';

type Deps = {
  users: UsersStore;
  factors: FactorsStore;
  passkeys: Passkeys;
  openSession: OpenSession;
  attempts: AttemptsStore;
  failedSignIns: FailedAuthLimiter;
  mongo: Mongo;
};

const unknown = () =>
  new ApiError('UNAUTHORIZED', 'This passkey does not sign in here: it is unknown, removed, or did not verify you. Use your password.');

/** Signs in with a passkey alone, which verifies the person with a PIN or a fingerprint and so is both factors. */
export function signInWithPasskey(app: Server, { users, factors, passkeys, openSession, attempts, failedSignIns, mongo }: Deps) {
  /** Bounds how many challenges a network can make us store. A sign-in clears the count. */
  const guarded = (address: string) => [{ key: `passkey challenges ${networkOf(address)}`, allowed: 100 }];

  async function openWith(request: FastifyRequest, proof: PasskeyProof, { passkey, user }: { passkey: PasskeyDocument; user: UserRow }) {
    const now = new Date();
    const counter = await passkeys.verify(proof, passkey, null, now);
    if (counter === undefined) return undefined;
    return mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      if (!(await factors.usePasskey(tx, passkey, counter, now))) return undefined;
      return openSession.open(tx, request, { user, by: 'passkey', now, secondFactor: 'passkey' });
    });
  }

  app.post('/auth/passkey/options', { schema: { hide: true, body: z.strictObject({}) } }, async (request) => {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const now = new Date();
    const wait = await attempts.begin(guarded(address), now);
    if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many sign-ins were begun and not finished.', { retryAfter: wait });
    return { success: true, data: { ...(await passkeys.proofOptions(null, now)) } };
  });

  app.post('/auth/passkey', { schema: { hide: true, body: z.strictObject({ passkey: PasskeyProof }) } }, async (request, reply) => {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const passkey = await factors.passkey(request.body.passkey.id);
    const user = passkey && (await users.find(passkey.account_id, passkey.user_id));
    const opened = user && (await openWith(request, request.body.passkey, { passkey, user }));
    if (!opened) {
      failedSignIns.count(address);
      throw unknown();
    }
    await attempts.forget(guarded(address));
    return openSession.reply(reply, opened);
  });
}
