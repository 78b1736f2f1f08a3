import { invalid } from '@mp/contracts/errors';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { AttemptsStore } from '../users/attempts-store.ts';
import { requireRecentProof } from '../users/require-recent-proof.ts';
import { type SignedInDeps, signedIn } from '../users/signed-in.ts';
import { type AddFactorDeps, addFactor } from './add-factor.ts';
import { Code, FactorName } from './factor.ts';
import { countProof } from './prove-factor.ts';
import { newTotpSecret, stepOf, type TotpSecrets, totpUrl } from './totp.ts';

type Deps = SignedInDeps & AddFactorDeps & { totpSecrets: TotpSecrets; attempts: AttemptsStore; mongo: Mongo };

const isEnrolling = { isEnrolling: true } as const;
const wrongCode = () => invalid('/code', 'invalid_value', 'This code is wrong or expired. Enter the code that the app shows now.');

/** Adds an authenticator app: its secret is shown once, and it counts once a code of the app has confirmed it. */
export function addTotp(app: Server, deps: Deps) {
  const { accounts, factors, totpSecrets, attempts, mongo } = deps;

  app.post('/auth/second-factors/totp', { schema: { hide: true, body: z.strictObject({ name: FactorName }) } }, async (request) => {
    const { session, user } = await signedIn(request, deps, isEnrolling);
    const now = new Date();
    requireRecentProof({ session, user }, now);
    const secret = newTotpSecret();
    const account = await accounts.find(user.account_id);
    const id = await mongo.transaction({ correlationId: request.id, causationId: null }, (tx) =>
      factors.beginTotp(tx, user, { secret, name: request.body.name, now }),
    );
    const issuer = account?.display_name ?? account?.name ?? '';
    return { success: true, data: { id, secret, url: totpUrl(secret, { issuer, label: user.email ?? user.name }) } };
  });

  const Confirmation = z.strictObject({ id: z.string().max(60), code: Code });
  app.post('/auth/second-factors/totp/confirm', { schema: { hide: true, body: Confirmation } }, async (request) => {
    const mine = await signedIn(request, deps, isEnrolling);
    const now = new Date();
    requireRecentProof(mine, now);
    const { id, code } = request.body;
    const guarded = await countProof(mine.user, { attempts, address: addressOf(request), now });
    const added = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const begun = await factors.findBegun(mine.user, id, now, tx);
      const secret = begun && totpSecrets.unseal(begun._id, begun.sealed_secret);
      const step = secret === undefined ? undefined : stepOf(code, secret, now);
      if (!begun || step === undefined) throw wrongCode();
      const add = async () => {
        if (!(await factors.confirmTotp(tx, begun, step, now))) throw wrongCode();
        return begun._id;
      };
      return addFactor(tx, mine, { kind: 'totp', name: begun.name, now, add }, deps);
    });
    await attempts.forget(guarded);
    return { success: true, data: added };
  });
}
