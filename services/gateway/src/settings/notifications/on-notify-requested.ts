import { NotifyEffectCompleted } from '@mp/contracts/events/platform';
import { NotifyEffectRequested } from '@mp/contracts/events/workflows';
import { trustedId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Mailer } from '../users/mailer.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { NotificationsStore } from './notifications-store.ts';

type Deps = {
  users: Pick<UsersStore, 'find'>;
  notifications: NotificationsStore;
  outbox: Outbox;
  mailer: Mailer;
  publicUrl: string;
  now?: () => number;
};

const hourMs = 60 * 60 * 1_000;

/** A workflow that many contacts enter must not flood a mailbox. */
const maxPerHour = 100;

/** RFC 5322 allows lines of 998 characters; mailboxes show far fewer. */
const maxSubjectLength = 200;

/**
 * Emails a user the text of a workflow step, once per effect key, and publishes the result. The email leaves after the commit, so a gateway that crashes at that moment does not send it at all, rather than twice.
 */
export const onNotifyRequested = ({ users, notifications, outbox, mailer, publicUrl, now = Date.now }: Deps) =>
  on(NotifyEffectRequested, async (tx, { account_id, data }) => {
    const { effect_key, run_id, user_id, subject, text } = data;
    const accountId = trustedId<'account'>(account_id);
    const publishResult = (refused: string | null) =>
      outbox.add(tx, NotifyEffectCompleted, accountId, {
        ...{ effect_key, run_id, status: refused === null ? 'done' : 'refused', reason: refused },
      });
    const earlier = await notifications.resultOf(tx, accountId, effect_key);
    if (earlier) return publishResult(earlier.refused);

    const at = new Date(now());
    const to = (await users.find(accountId, user_id, tx))?.email ?? undefined;
    const since = new Date(at.getTime() - hourMs);
    const count = await notifications.countSince(tx, accountId, user_id, { since, limit: maxPerHour });
    const refused =
      to === undefined
        ? 'The account has no such user with an email address.'
        : count >= maxPerHour
          ? `The user got ${maxPerHour} notifications within an hour.`
          : mailer
            ? null
            : 'The platform has no mail server.';
    await notifications.keep(tx, accountId, effect_key, { user_id, refused, at });
    await publishResult(refused);
    if (refused !== null || to === undefined) return;
    const body = `${text}\n\n${publicUrl}/workflows/runs/${run_id}`;
    tx.afterCommit(() => void mailer?.send({ to, subject: subject.replace(/\s+/g, ' ').trim().slice(0, maxSubjectLength), text: body }));
  });
