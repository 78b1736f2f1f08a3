import { WebhookDisabled } from '@mp/contracts/events/workflows';
import { dayMs } from '@mp/rules/duration';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Target, WebhooksStore } from '../definitions/webhooks-store.ts';
import type { Sent } from './send-delivery.ts';

type Deps = {
  mongo: Mongo;
  outbox: Pick<Outbox, 'add'>;
  webhooks: Pick<WebhooksStore, 'noteOutcome' | 'disable'>;
  logger: Pick<Logger, 'warn'>;
};

/** A webhook whose attempts have only failed for this long is disabled. */
const maxFailingMs = 5 * dayMs;

/** Disables webhooks whose receiver says that it is gone, or that have only failed for too long. */
export function createDisableFailing({ mongo, outbox, webhooks, logger }: Deps) {
  async function disable(target: Target, reason: 'gone' | 'failing', now: Date) {
    const { id, accountId, url } = target;
    await mongo.transaction({ correlationId: id, causationId: null }, async (tx) => {
      if (!(await webhooks.disable(tx, target, reason, now))) return;
      await outbox.add(tx, WebhookDisabled, accountId, { webhook_id: id, url, reason, at: now.toISOString() });
      tx.afterCommit(() => logger.warn({ webhook: id, account_id: accountId, reason }, 'webhook disabled'));
    });
  }

  /** Notes the outcome of an attempt, and disables the webhook if it has to be. */
  return async function disableFailing(target: Target, { ok, isGone }: Pick<Sent, 'ok' | 'isGone'>, now: Date) {
    const failingSince = await webhooks.noteOutcome(target, ok, now);
    if (isGone) await disable(target, 'gone', now);
    else if (failingSince && now.getTime() - failingSince.getTime() >= maxFailingMs) await disable(target, 'failing', now);
  };
}
