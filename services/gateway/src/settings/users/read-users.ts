import { page, success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext, listQuery, noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { SettingsParts } from '../parts.ts';
import { User, userView } from './user.ts';

export function listUsers(app: Server, { users, cursors }: SettingsParts) {
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
      linkNext(request, reply, pagination);
      return { success: true as const, data: { items: items.map(userView), pagination } };
    },
  );
}

export function getUser(app: Server, { users }: SettingsParts) {
  app.get(
    '/v2/settings/users/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getUser',
        summary: 'Get a user',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
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
