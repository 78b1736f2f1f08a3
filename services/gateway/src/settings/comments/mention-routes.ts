import { page, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { UsersStore } from '../users/users-store.ts';
import { Comment, nameIn } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import { requireSomeReader } from './get-readable-comment.ts';
import type { NoticesStore } from './notices-store.ts';
import { typesSeenBy } from './resource.ts';

const Mention = z
  .object({
    comment_id: z.string().describe('The ID of the comment.'),
    ...Comment.pick({ resource_type: true, resource_id: true, author_id: true, author_name: true, text: true }).shape,
    resource_name: z.string().describe('The name of the resource at that time.'),
    read_at: z.iso.datetime().nullable().describe('When you marked it as read; null if you have not.'),
    created_at: z.iso.datetime().describe('When you were mentioned.'),
  })
  .meta({ id: 'Mention' });

type Deps = {
  users: Pick<UsersStore, 'names'>;
  comments: Pick<CommentsStore, 'findMany'>;
  notices: NoticesStore;
  cursors: Cursors;
  transact: Transact;
  now: () => number;
};

export function listMentions(app: Server, { users, comments, notices, cursors }: Deps) {
  app.get(
    '/v2/comments/mentions',
    {
      config: { scope: null, people: true },
      schema: {
        operationId: 'listMentions',
        tags: ['comments'],
        summary: 'List the comments that mention you, newest first',
        description: 'Lists mentions of the last 90 days, in comments on resources that you can read.',
        querystring: z.strictObject({
          ...listQuery,
          unread: z.enum(['true', 'false']).default('false').describe('`true`: only mentions that you have not marked as read.'),
        }),
        response: { 200: page(Mention) },
      },
    },
    async (request, reply) => {
      const { principal, query } = request;
      const { accountId, id } = principal;
      const { limit, cursor } = query;
      requireSomeReader(principal);
      const wanted = { types: typesSeenBy(principal), isUnread: query.unread === 'true' };
      const { items, pagination } = await notices.mentionsOf(accountId, id, wanted, { limit, cursor }, cursors);
      const found = await comments.findMany(
        accountId,
        items.map(({ comment_id }) => comment_id),
      );
      const names = await users.names(
        accountId,
        found.map(({ author_id }) => author_id),
      );
      const byId = new Map<string, (typeof found)[number]>(found.map((row) => [row.id, row]));
      addNextLink(request, reply, pagination);
      const mentions = items.flatMap(({ comment_id, resource_name, read_at, created_at }) => {
        const comment = byId.get(comment_id);
        if (!comment) return [];
        const { resource_type, resource_id, author_id, text } = comment;
        return {
          ...{ comment_id, resource_type, resource_id, resource_name, author_id, author_name: nameIn(names, author_id), text },
          ...{ read_at: read_at?.toISOString() ?? null, created_at: created_at.toISOString() },
        };
      });
      return { success: true as const, data: { items: mentions, pagination } };
    },
  );
}

export function markMentionsRead(app: Server, { notices, transact, now }: Deps) {
  app.post(
    '/v2/comments/mentions/read',
    {
      config: { scope: null, people: true },
      schema: {
        operationId: 'markMentionsRead',
        tags: ['comments'],
        summary: 'Mark mentions of you as read',
        body: z.strictObject({
          comment_ids: z.array(z.string().max(64)).min(1).max(100).optional().describe('Only in these comments. Default: all.'),
        }),
        response: { 200: success(z.object({ marked: z.number().int().describe('How many were unread.') })) },
      },
    },
    (request, reply) => {
      const { accountId, id } = request.principal;
      requireSomeReader(request.principal);
      return transact(request, reply, async (tx) => ({
        status: 200,
        data: { marked: await notices.markRead(tx, accountId, id, request.body.comment_ids, new Date(now())) },
      }));
    },
  );
}
