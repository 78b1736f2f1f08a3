import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { Permission, Scope } from '@mp/contracts/permissions';
import { isId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Account, accountView } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';
import type { UsersStore } from '../users/users-store.ts';

const Me = z
  .object({
    id: z.string(),
    type: z.enum(['api_key', 'user']),
    name: z.string(),
    permission: Permission,
    scopes: z.array(Scope).nullable().describe('null: not narrowed.'),
    account: Account.pick({ id: true, name: true, plan: true }),
  })
  .meta({ id: 'Me' });

type Stores = { accounts: AccountsStore; apiKeys: ApiKeysStore; users: UsersStore };

export function getMe(app: Server, { accounts, apiKeys, users }: Stores) {
  app.get(
    '/v2/me',
    {
      config: { scope: null },
      schema: { operationId: 'getMe', summary: 'Get who this credential is and what it may do', response: { 200: success(Me) } },
    },
    async (request) => {
      const { accountId, id, permission, scopes } = request.principal;
      const isUser = isId('user', id);
      const [account, named] = await Promise.all([
        accounts.find(accountId),
        isUser ? users.find(accountId, id) : apiKeys.find(accountId, id),
      ]);
      if (!account || !named) throw notFound();
      const { id: account_id, name, plan } = accountView(account);
      return {
        success: true as const,
        data: {
          id,
          type: isUser ? ('user' as const) : ('api_key' as const),
          name: named.name,
          permission,
          scopes: scopes && [...scopes],
          account: { id: account_id, name, plan },
        },
      };
    },
  );
}
