import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { Account, accountView } from './account.ts';
import type { AccountsStore } from './accounts-store.ts';

type Deps = { accounts: AccountsStore };

export function getAccount(app: Server, { accounts }: Deps) {
  app.get(
    '/v2/settings/account',
    {
      config: { scope: 'settings:read' },
      schema: { operationId: 'getAccount', summary: 'Get the account', response: { 200: success(Account) } },
    },
    async (request, reply) => {
      const account = await accounts.find(request.principal.accountId);
      if (!account) throw notFound();
      reply.header('etag', etagOf(account));
      return { success: true as const, data: accountView(account) };
    },
  );
}
