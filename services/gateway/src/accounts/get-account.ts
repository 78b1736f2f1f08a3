import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { Account, accountView } from './account.ts';
import type { AccountsStore } from './accounts-store.ts';

export function getAccount(app: Server, { accounts }: { accounts: AccountsStore }) {
  app.get(
    '/v2/settings/account',
    {
      config: { scope: 'settings:read' },
      schema: { operationId: 'getAccount', summary: 'Get the account', response: { 200: success(Account) } },
    },
    async (request) => {
      const account = await accounts.find(request.principal.accountId);
      if (!account) throw notFound();
      return { success: true as const, data: accountView(account) };
    },
  );
}
