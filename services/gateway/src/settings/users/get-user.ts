import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { User, userView } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = { users: UsersStore };

export function getUser(app: Server, { users }: Deps) {
  app.get(
    '/v2/settings/users/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getUser',
        summary: 'Get a user',
        params: z.object({ id: z.string() }),
        response: { 200: success(User) },
      },
    },
    async (request) => {
      const user = await users.find(request.principal.accountId, request.params.id);
      if (!user) throw notFound();
      return { success: true as const, data: userView(user) };
    },
  );
}
