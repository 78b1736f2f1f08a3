import { ApiError, invalid } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { isDuplicateKey, type Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { requireRecentProof } from '../users/require-recent-proof.ts';
import { type SignedInDeps, signedIn } from '../users/signed-in.ts';
import { type AddFactorDeps, addFactor } from './add-factor.ts';
import { FactorName, PasskeyCreation } from './factor.ts';
import type { Passkeys } from './passkeys.ts';

type Deps = SignedInDeps & AddFactorDeps & { passkeys: Passkeys; mongo: Mongo };

const isEnrolling = { isEnrolling: true } as const;

/** Adds a passkey: the browser creates it for the options of the first request, within five minutes. */
export function addPasskey(app: Server, deps: Deps) {
  const { factors, passkeys, mongo } = deps;

  app.post('/auth/second-factors/passkeys/options', { schema: { hide: true, body: z.strictObject({}) } }, async (request) => {
    const mine = await signedIn(request, deps, isEnrolling);
    const now = new Date();
    requireRecentProof(mine, now);
    return { success: true, data: { ...(await passkeys.registrationOptions(mine.user, await factors.list(mine.user), now)) } };
  });

  const Creation = z.strictObject({ name: FactorName, passkey: PasskeyCreation });
  app.post('/auth/second-factors/passkeys', { schema: { hide: true, body: Creation } }, async (request) => {
    const mine = await signedIn(request, deps, isEnrolling);
    const now = new Date();
    requireRecentProof(mine, now);
    const { name, passkey: response } = request.body;
    const passkey = await passkeys.register(mine.user, response, now);
    if (!passkey) throw invalid('/passkey', 'invalid_value', 'This passkey was not created for this page within five minutes. Try again.');
    const added = await mongo
      .transaction({ correlationId: request.id, causationId: null }, (tx) => {
        const add = () => factors.addPasskey(tx, mine.user, { name, ...passkey }, now);
        return addFactor(tx, mine, { kind: 'passkey', name, now, add }, deps);
      })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw new ApiError('CONFLICT', 'This passkey is already registered.');
        throw error;
      });
    return { success: true, data: added };
  });
}
