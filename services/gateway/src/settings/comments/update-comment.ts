import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { UsersStore } from '../users/users-store.ts';
import { Comment, type CommentRow, commentView, readOnlyFields, UpdateCommentBody } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import { getReadableComment } from './get-readable-comment.ts';
import type { NoticesStore } from './notices-store.ts';
import { requireMentionable } from './notify.ts';
import { requireResource } from './resource.ts';

type Deps = {
  users: Pick<UsersStore, 'find' | 'names'>;
  comments: CommentsStore;
  notices: NoticesStore;
  broker: Pick<Broker, 'request'>;
  transact: Transact;
  now: () => number;
};

export function updateComment(app: Server, { users, comments, notices, broker, transact, now }: Deps) {
  app.put(
    '/v2/comments/:id',
    {
      config: { scope: null, people: true, ifMatch: true },
      schema: {
        operationId: 'updateComment',
        tags: ['comments'],
        summary: 'Edit a comment',
        description:
          'Only the author of a comment can edit it. Omitted fields keep their values. Users whom it did not mention before are emailed.',
        params: z.object({ id: z.string() }),
        body: UpdateCommentBody,
        response: { 200: success(Comment) },
      },
    },
    (request, reply) => {
      const { principal, body, params } = request;
      const { accountId } = principal;
      const getOwn = async (tx?: Transaction) => {
        const row = await getReadableComment(comments, principal, params.id, tx);
        if (row.author_id !== principal.id) throw new ApiError('FORBIDDEN', 'Only the author of a comment can edit it.');
        return row;
      };
      return transact(
        request,
        reply,
        async (tx, resourceName) => {
          const before = await getOwn(tx);
          requireMatch(request, before);
          const names = await users.names(accountId, [before.author_id]);
          rejectReadOnlyChanges(body, commentView(before, names), readOnlyFields);
          const { text = before.text, mentions = before.mentions } = body;
          const at = new Date(now());
          const after: CommentRow = { ...before, text, mentions, edited_at: at, revision: before.revision + 1 };
          if (text === before.text && isDeepStrictEqual(mentions, before.mentions))
            return { status: 200, data: commentView(before, names), etag: etagOf(before) };
          await comments.update(tx, after);
          const added = newOf(mentions, before.mentions).filter((id) => id !== principal.id);
          await notices.withdraw(tx, after, newOf(before.mentions, mentions));
          await notices.add(
            tx,
            after,
            resourceName,
            added.map((user_id) => ({ user_id, reason: 'mention' as const })),
            at,
          );
          return { status: 200, data: commentView(after, names), etag: etagOf(after) };
        },
        {
          before: async () => {
            const before = await getOwn();
            const mentions = body.mentions ?? [];
            await requireMentionable(users, accountId, { ...before, mentions: newOf(mentions, before.mentions) });
            return requireResource(broker, accountId, before);
          },
        },
      );
    },
  );
}

const newOf = (ids: readonly string[], others: readonly string[]) => ids.filter((id) => !others.includes(id));
