import { success } from '@mp/contracts/envelope';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { UsersStore } from '../users/users-store.ts';
import { Comment, commentView } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import { getReadableComment } from './get-readable-comment.ts';
import { requireResource } from './resource.ts';

type Deps = {
  users: Pick<UsersStore, 'names'>;
  comments: CommentsStore;
  broker: Pick<Broker, 'request'>;
  transact: Transact;
  now: () => number;
};

const ways = {
  resolve: { operationId: 'resolveComment', summary: 'Resolve a comment', resolves: true },
  reopen: { operationId: 'reopenComment', summary: 'Reopen a resolved comment', resolves: false },
} as const;

const route =
  (way: keyof typeof ways) =>
  (app: Server, { users, comments, broker, transact, now }: Deps) => {
    const { operationId, summary, resolves } = ways[way];
    app.post(
      `/v2/comments/:id/${way}`,
      {
        config: { scope: null, people: true, ifMatch: true },
        schema: {
          operationId,
          tags: ['comments'],
          summary,
          description: `Everybody who may read the resource can. Changes nothing if it is ${resolves ? 'resolved' : 'open'} already.`,
          params: z.object({ id: z.string() }),
          body: z.strictObject({}),
          response: { 200: success(Comment) },
        },
      },
      (request, reply) => {
        const { principal, params } = request;
        return transact(
          request,
          reply,
          async (tx) => {
            const before = await getReadableComment(comments, principal, params.id, tx);
            requireMatch(request, before);
            const isDone = (before.resolved_at !== null) === resolves;
            const state = { resolved_at: resolves ? new Date(now()) : null, resolved_by: resolves ? principal.id : null };
            const after = isDone ? before : { ...before, ...state, revision: before.revision + 1 };
            if (!isDone) await comments.update(tx, after);
            return { status: 200, data: commentView(after, await users.names(after.account_id, [after.author_id])), etag: etagOf(after) };
          },
          { before: async () => requireResource(broker, principal.accountId, await getReadableComment(comments, principal, params.id)) },
        );
      },
    );
  };

export const [resolveComment, reopenComment] = [route('resolve'), route('reopen')];
