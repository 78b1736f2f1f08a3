import { notFound } from '@mp/contracts/errors';
import { isId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { type SignedIn, type SignedInDeps, signedIn } from '../users/signed-in.ts';
import { isAccepted, managesGrants } from './grant.ts';
import type { GrantsStore } from './grants-store.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';

type Deps = SignedInDeps & {
  accounts: Pick<AccountsStore, 'find'>;
  grants: GrantsStore;
  oauthClients: Pick<OauthClientsStore, 'findByClientId'>;
  auditLog: AuditLogStore;
  mongo: Mongo;
  forgetSecret: (hash: string) => void;
};

/** The applications that the signed-in user has connected. Who manages keys sees and ends those of every user of the account. */
export function grantRoutes(app: Server, deps: Deps) {
  const { accounts, grants, oauthClients, users, auditLog, mongo, forgetSecret } = deps;
  const onlyOwn = ({ user }: SignedIn) => (managesGrants(user) ? undefined : user.id);

  app.get('/auth/grants', { schema: { hide: true } }, async (request) => {
    const mine = await signedIn(request, deps);
    const account = await accounts.find(mine.user.account_id);
    const items = await Promise.all(
      (await grants.list(mine.user.account_id, onlyOwn(mine))).map(async (grant) => {
        const client = await oauthClients.findByClientId(grant.client_id);
        const user = await users.find(grant.account_id, grant.user_id);
        return {
          id: grant.id,
          application: client?.name ?? grant.client_id,
          user: { id: grant.user_id, name: user?.name ?? null, own: grant.user_id === mine.user.id },
          scopes: grant.scopes,
          accepted: account !== undefined && user !== undefined && isAccepted(grant, account, user),
          created_at: grant.created_at.toISOString(),
          last_used_at: grant.last_used_at.toISOString(),
        };
      }),
    );
    return { success: true, data: { items } };
  });

  app.post('/auth/grants/revoke', { schema: { hide: true, body: z.strictObject({ id: z.string().max(60) }) } }, async (request) => {
    const mine = await signedIn(request, deps);
    const { account_id } = mine.user;
    const { id } = request.body;
    const own = onlyOwn(mine);
    const revoked = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const before = isId('grant', id) ? await grants.find(account_id, id) : undefined;
      const hashes = await grants.revoke(tx, { id, account_id, ...(own !== undefined && { user_id: own }) });
      if (!hashes) throw notFound();
      const details = before && { client_id: before.client_id, scopes: before.scopes };
      await auditLog.add(
        tx,
        { accountId: account_id, id: mine.user.id },
        { action: 'oauth_grant.revoked', target_id: id, ...(details && { details }) },
      );
      return hashes;
    });
    for (const hash of revoked) forgetSecret(hash);
    return { success: true, data: {} };
  });
}
