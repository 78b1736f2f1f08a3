import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { User, userView } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = { users: UsersStore; cursors: Cursors };

export function listUsers(app: Server, { users, cursors }: Deps) {
  app.get(
    '/v2/settings/users',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listUsers',
        summary: 'List users, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(User) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query;
      const { items, pagination } = await users.list(request.principal.accountId, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(userView), pagination } };
    },
  );
}
