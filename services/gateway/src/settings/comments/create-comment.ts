import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { UsersStore } from '../users/users-store.ts';
import { Comment, CreateCommentBody, commentView, maxComments, newComment } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import type { NoticesStore } from './notices-store.ts';
import { notifyOf, requireMentionable } from './notify.ts';
import { requireReader, requireResource } from './resource.ts';

type Deps = {
  accounts: Pick<AccountsStore, 'lock'>;
  users: Pick<UsersStore, 'find' | 'names'>;
  comments: CommentsStore;
  notices: NoticesStore;
  broker: Pick<Broker, 'request'>;
  transact: Transact;
  now: () => number;
};

export function createComment(app: Server, { accounts, users, comments, notices, broker, transact, now }: Deps) {
  app.post(
    '/v2/comments',
    {
      config: { scope: null, people: true, finds: true },
      schema: {
        operationId: 'createComment',
        tags: ['comments'],
        summary: 'Comment on a campaign, template, segment or workflow',
        description:
          'Emails the users whom the comment mentions, and those who commented on the resource before, once each. A resource can have at ' +
          `most ${maxComments} comments.`,
        body: CreateCommentBody,
        response: { 201: success(Comment) },
      },
    },
    (request, reply) => {
      const { principal, body } = request;
      const { accountId } = principal;
      return transact(
        request,
        reply,
        async (tx, name) => {
          await accounts.lock(tx, accountId);
          if ((await comments.count(tx, accountId, body)) >= maxComments)
            throw new ApiError('PLAN_LIMIT_EXCEEDED', `A resource can have at most ${maxComments} comments; delete old ones.`);
          const row = newComment({ account_id: accountId, author_id: principal.id, ...body }, new Date(now()));
          await comments.insert(tx, row);
          await notifyOf(tx, row, name, { users, comments, notices });
          const data = commentView(row, await users.names(accountId, [row.author_id]));
          return { status: 201, data, location: `/v2/comments/${row.id}`, etag: etagOf(row) };
        },
        {
          before: async () => {
            requireReader(principal, body.resource_type);
            const name = await requireResource(broker, accountId, body);
            await requireMentionable(users, accountId, body);
            return name;
          },
        },
      );
    },
  );
}
