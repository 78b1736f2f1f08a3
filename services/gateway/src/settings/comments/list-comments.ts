import { page } from '@mp/contracts/envelope';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { UsersStore } from '../users/users-store.ts';
import { Comment, commentView, resourceFields } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import { requireReader, requireResource } from './resource.ts';

type Deps = { users: Pick<UsersStore, 'names'>; comments: CommentsStore; broker: Pick<Broker, 'request'>; cursors: Cursors };

export function listComments(app: Server, { users, comments, broker, cursors }: Deps) {
  app.get(
    '/v2/comments',
    {
      config: { scope: null, finds: true },
      schema: {
        operationId: 'listComments',
        tags: ['comments'],
        summary: 'List the comments on a resource, oldest first',
        description: 'Needs the scope that reads the resource: `campaigns:read` (also for templates), `segments:read` or `workflows:read`.',
        querystring: z.strictObject({ ...resourceFields, ...listQuery }),
        response: { 200: page(Comment) },
      },
    },
    async (request, reply) => {
      const { principal, query } = request;
      const { limit, cursor } = query;
      const { accountId } = principal;
      requireReader(principal, query.resource_type);
      await requireResource(broker, accountId, query);
      const { items, pagination } = await comments.list(accountId, query, { limit, cursor }, cursors);
      const names = await users.names(
        accountId,
        items.map(({ author_id }) => author_id),
      );
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map((row) => commentView(row, names)), pagination } };
    },
  );
}
