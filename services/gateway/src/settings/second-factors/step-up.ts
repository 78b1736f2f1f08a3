import { ApiError } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { AttemptsStore } from '../users/attempts-store.ts';
import { checkPassword } from '../users/check-password.ts';
import { type SignedIn, type SignedInDeps, sessionView, signedIn } from '../users/signed-in.ts';
import { Proof, type ProvenBy } from './factor.ts';
import type { FactorsStore } from './factors-store.ts';
import type { Passkeys } from './passkeys.ts';
import type { ProveFactor } from './prove-factor.ts';

type Deps = SignedInDeps & {
  factors: FactorsStore;
  passkeys: Passkeys;
  proveFactor: ProveFactor;
  attempts: AttemptsStore;
  auditLog: AuditLogStore;
  mongo: Mongo;
  forgetHolder: (id: UserId) => void;
};

const Body = z.union([...Proof.options, z.strictObject({ current_password: z.string().normalize('NFC').min(1).max(200) })]);

/**
 * Confirms again who is using a session, before an action that cannot be undone: with a second factor, or with the password if the user
 * has none.
 */
export function stepUp(app: Server, deps: Deps) {
  const { factors, passkeys, proveFactor, attempts, auditLog, mongo, sessions, forgetHolder } = deps;

  async function note(tx: Transaction, { user, session }: SignedIn, by: ProvenBy | null, now: Date) {
    await sessions.prove(tx, session._id, by, now);
    const change = { action: 'user.identity_confirmed', target_id: user.id, details: { by: by ?? 'password' } } as const;
    await auditLog.add(tx, { accountId: user.account_id, id: user.id }, change);
    // Other gateways read the session again before they refuse.
    tx.afterCommit(() => forgetHolder(user.id));
  }

  app.post('/auth/step-up/options', { schema: { hide: true, body: z.strictObject({}) } }, async (request) => {
    const { user } = await signedIn(request, deps, { isEnrolling: true });
    return { success: true, data: { ...(await passkeys.proofOptions({ user, factors: await factors.list(user) }, new Date())) } };
  });

  app.post('/auth/step-up', { schema: { hide: true, body: Body } }, async (request) => {
    const mine = await signedIn(request, deps, { isEnrolling: true });
    const { body } = request;
    if (!('current_password' in body)) await proveFactor(request, mine.user, body, (tx, by, now) => note(tx, mine, by, now));
    else {
      if (mine.user.has_second_factor) throw new ApiError('INVALID_STATE', 'Confirm with your second factor; the password is not enough.');
      const now = new Date();
      await checkPassword(mine.user, body.current_password, { attempts, address: addressOf(request), now });
      await mongo.transaction({ correlationId: request.id, causationId: null }, (tx) => note(tx, mine, null, now));
    }
    return { success: true, data: sessionView(mine) };
  });
}
