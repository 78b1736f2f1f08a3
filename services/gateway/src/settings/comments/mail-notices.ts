import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { createSendMails } from '../mails/send-mails.ts';
import type { Deliver, Mail } from '../users/mailer.ts';
import { userView } from '../users/user.ts';
import type { UsersStore } from '../users/users-store.ts';
import { nameIn } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import type { Notice, NoticesStore } from './notices-store.ts';
import { isReader, nameOf, pageOf } from './resource.ts';

type Deps = {
  logger: Logger;
  broker: Pick<Broker, 'request'>;
  accounts: Pick<AccountsStore, 'find'>;
  users: Pick<UsersStore, 'find' | 'names'>;
  comments: Pick<CommentsStore, 'findMany'>;
  notices: NoticesStore;
  deliver: Deliver | undefined;
  publicUrl: string;
  now: () => number;
  leaseMs?: number;
  retryMs?: { first: number; max: number };
};

const verbs = { mention: 'mentioned you in a comment on', reply: 'commented on' } as const;

/** Emails users about comments. Whether a user may still read the resource is decided when the email is made. */
export function createMailNotices({ broker, accounts, users, comments, notices, publicUrl, ...sending }: Deps) {
  async function compose({ account_id, comment_id, user_id, reason }: Notice): Promise<Mail | { status: 'failed'; reason: string }> {
    const failed = (why: string) => ({ status: 'failed' as const, reason: why });
    const [[comment], user, account] = await Promise.all([
      comments.findMany(account_id, [comment_id]),
      users.find(account_id, user_id),
      accounts.find(account_id),
    ]);
    const isMentioned = reason !== 'mention' || comment?.mentions.includes(user_id);
    if (!comment || reason === 'withdrawn' || !isMentioned) return failed('The comment was deleted, or no longer mentions the user.');
    // The address of an invitation may be mistyped.
    if (!user?.email || userView(user).status === 'invited' || !isReader(user, comment.resource_type))
      return failed('The user left the account, has not accepted the invitation, or may not read the resource.');
    if (account?.status !== 'active') return failed('The account is suspended.');
    const name = await nameOf(broker, account_id, comment);
    if (name === null) return failed('The resource was deleted.');
    const author = nameIn(await users.names(account_id, [comment.author_id]), comment.author_id);
    const subject = `${author} ${verbs[reason]} the ${comment.resource_type} “${name}”`.replaceAll(/\s+/g, ' ');
    return {
      to: user.email,
      subject,
      text: [`${subject}:`, comment.text, `${publicUrl}${pageOf(comment)}#comments`].join('\n\n'),
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
  }

  return createSendMails({ ...sending, queue: notices.queue, compose });
}
