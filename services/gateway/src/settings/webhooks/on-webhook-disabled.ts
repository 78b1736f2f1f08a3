import { WebhookDisabled } from '@mp/contracts/events/workflows';
import { trustedId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Mailer } from '../users/mailer.ts';
import type { UsersStore } from '../users/users-store.ts';

type Deps = { users: Pick<UsersStore, 'adminAddresses'>; mailer: Mailer; publicUrl: string };

const reasons = {
  gone: 'The receiver responded with 410 Gone.',
  failing: 'Every attempt of the last five days failed.',
} as const;

/** Emails the admins of the account that a webhook was disabled. */
export const onWebhookDisabled = ({ users, mailer, publicUrl }: Deps) =>
  on(WebhookDisabled, async (tx, { account_id, data: { webhook_id, url, reason } }) => {
    if (!mailer) return;
    const subject = 'A webhook was disabled';
    const text = [
      `The webhook ${url} was disabled. ${reasons[reason]}`,
      'Events are still recorded. Once the receiver works again, enable the webhook and replay what it missed:',
      `${publicUrl}/settings/webhooks/${webhook_id}`,
    ].join('\n\n');
    const addresses = await users.adminAddresses(trustedId<'account'>(account_id), tx);
    tx.afterCommit(() => {
      for (const to of addresses) void mailer.send({ to, subject, text });
    });
  });
