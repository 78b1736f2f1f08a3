import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { Permission, Scope } from '@mp/contracts/permissions';
import { SendingLimits } from '@mp/contracts/sending-limits';
import { isId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Account, accountView } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';
import type { OauthClientsStore } from '../oauth/oauth-clients-store.ts';
import type { UsersStore } from '../users/users-store.ts';

const Me = z
  .object({
    id: z.string().describe('The ID of the API key, OAuth client or user.'),
    type: z.enum(['api_key', 'oauth_client', 'user']).describe('What kind of credential this is.'),
    name: z.string().describe('The name of the API key, OAuth client or user.'),
    permission: Permission,
    scopes: z.array(Scope).nullable().describe('The scopes that narrow the permission. Null: all scopes.'),
    sending_limits: SendingLimits.nullable().describe('What the role of the user may send and activate. Null: everything.'),
    account: Account.pick({ id: true, name: true, plan: true, timezone: true }),
  })
  .meta({ id: 'Me' });

type Stores = { accounts: AccountsStore; apiKeys: ApiKeysStore; oauthClients: OauthClientsStore; users: UsersStore };

export function getMe(app: Server, { accounts, apiKeys, oauthClients, users }: Stores) {
  app.get(
    '/v2/me',
    {
      config: { scope: null },
      schema: {
        operationId: 'getMe',
        summary: 'Get the current credential and its permissions',
        response: { 200: success(Me) },
      },
    },
    async (request) => {
      const { accountId, id, permission, scopes, sendingLimits } = request.principal;
      const type: z.infer<typeof Me>['type'] = isId('user', id) ? 'user' : isId('client', id) ? 'oauth_client' : 'api_key';
      const holders = {
        user: () => users.find(accountId, id),
        // An application that a user has connected may belong to another account.
        oauth_client: () => oauthClients.findByClientId(id),
        api_key: () => apiKeys.find(accountId, id),
      };
      const [account, named] = await Promise.all([accounts.find(accountId), holders[type]()]);
      if (!account || !named) throw notFound();
      const { id: account_id, name, plan, timezone } = accountView(account);
      return {
        success: true as const,
        data: {
          id,
          type,
          name: named.name,
          permission,
          scopes: scopes && [...scopes],
          sending_limits: sendingLimits ?? null,
          account: { id: account_id, name, plan, timezone },
        },
      };
    },
  );
}
