import { success } from '@mp/contracts/envelope';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import type { UsersStore } from '../users/users-store.ts';
import { Comment, commentView } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import { getReadableComment } from './get-readable-comment.ts';
import { requireResource } from './resource.ts';

type Deps = { users: Pick<UsersStore, 'names'>; comments: CommentsStore; broker: Pick<Broker, 'request'> };

export function getComment(app: Server, { users, comments, broker }: Deps) {
  app.get(
    '/v2/comments/:id',
    {
      config: { scope: null },
      schema: {
        operationId: 'getComment',
        tags: ['comments'],
        summary: 'Get a comment',
        params: z.object({ id: z.string() }),
        response: { 200: success(Comment) },
      },
    },
    async (request, reply) => {
      const row = await getReadableComment(comments, request.principal, request.params.id);
      await requireResource(broker, row.account_id, row);
      reply.header('etag', etagOf(row));
      return { success: true as const, data: commentView(row, await users.names(row.account_id, [row.author_id])) };
    },
  );
}
