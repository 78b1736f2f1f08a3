import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { refusal } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { CommentsStore } from './comments-store.ts';
import { getReadableComment } from './get-readable-comment.ts';
import type { NoticesStore } from './notices-store.ts';

type Deps = { comments: CommentsStore; notices: NoticesStore; auditLog: Pick<AuditLogStore, 'add'>; transact: Transact };

export function deleteComment(app: Server, { comments, notices, auditLog, transact }: Deps) {
  app.delete(
    '/v2/comments/:id',
    {
      config: { scope: null, people: true, ifMatch: true },
      schema: {
        operationId: 'deleteComment',
        tags: ['comments'],
        summary: 'Delete a comment',
        description:
          'The author of a comment can delete it, and so can users who may change the settings. Waiting emails about it are not sent.',
        params: z.object({ id: z.string() }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const row = await getReadableComment(comments, principal, request.params.id, tx);
        if (row.author_id !== principal.id) {
          if (refusal(principal, 'DELETE', 'settings:write') !== undefined)
            throw new ApiError('FORBIDDEN', 'Only the author of a comment or an admin can delete it.');
          const { author_id, resource_type, resource_id } = row;
          await auditLog.add(tx, principal, {
            action: 'comment.deleted',
            target_id: row.id,
            details: { author_id, resource_type, resource_id },
          });
        }
        requireMatch(request, row);
        await comments.delete(tx, row);
        await notices.deleteOf(tx, row);
        return { status: 200, data: { id: row.id, deleted: true as const } };
      }),
  );
}
