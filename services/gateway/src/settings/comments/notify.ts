import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { UsersStore } from '../users/users-store.ts';
import type { CommentRow } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import type { NoticesStore } from './notices-store.ts';
import { isReader, type ResourceType } from './resource.ts';

/** Throws VALIDATION_ERROR if one of these is not a user of the account, or may not read such a resource. */
export async function requireMentionable(
  users: Pick<UsersStore, 'find'>,
  accountId: AccountId,
  { resource_type, mentions }: { resource_type: ResourceType; mentions: readonly string[] },
) {
  for (const [index, id] of mentions.entries()) {
    const user = await users.find(accountId, id);
    if (!user) throw invalid(`/mentions/${index}`, 'unknown_user', `The account has no user ${id}.`);
    if (!isReader(user, resource_type))
      throw invalid(`/mentions/${index}`, 'cannot_read', `${user.name} cannot read a ${resource_type}; mention a user whose role can.`);
  }
}

type Deps = { users: Pick<UsersStore, 'find'>; comments: Pick<CommentsStore, 'authors'>; notices: Pick<NoticesStore, 'add'> };

/** Bounds the emails of one comment. */
const maxParticipants = 100;

/** Tells the users whom a new comment mentions, and those who commented on the resource before. Nobody is told of their own comment. */
export async function notifyOf(tx: Transaction, comment: CommentRow, resourceName: string, { users, comments, notices }: Deps) {
  const mentioned = new Set(comment.mentions);
  const authors = await comments.authors(tx, comment.account_id, comment);
  const ids = [...new Set([...comment.mentions, ...authors.slice(0, maxParticipants)])].filter((id) => id !== comment.author_id);
  const found = await Promise.all(ids.map((id) => users.find(comment.account_id, id)));
  const recipients = found
    .filter((user) => user !== undefined)
    .filter((user) => isReader(user, comment.resource_type))
    .map(({ id }) => ({ user_id: id, reason: mentioned.has(id) ? ('mention' as const) : ('reply' as const) }));
  await notices.add(tx, comment, resourceName, recipients, comment.created_at);
}
