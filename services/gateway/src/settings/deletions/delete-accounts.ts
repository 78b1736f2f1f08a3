import { accountErasingServices } from '@mp/contracts/account-erasure';
import { AccountErased } from '@mp/contracts/events/platform';
import { streams } from '@mp/contracts/streams';
import { createAccountEraser } from '@mp/erasures/account-erasure';
import { createRunner } from '@mp/service-kit/runner';
import type { Parts } from '@mp/service-kit/service-parts';
import type { AccountDeletion } from './account-deletion.ts';
import type { AccountDeletionsStore } from './account-deletions-store.ts';

/** If a service has not confirmed within this time, the request is repeated. */
const requestAgainMs = 60 * 60_000;

const lookAgainMs = 5_000;

type Deps = { deletions: AccountDeletionsStore; waitMs?: number | undefined };

/**
 * Carries out the deletions of accounts whose grace period is over: sends requests to the services, waits for their receipts, erases the gateway's
 * own data, and then removes the account's events and dead letters from the streams. Every step can safely run twice.
 */
export function createDeleteAccounts(
  parts: Pick<Parts, 'mongo' | 'outbox' | 'positions' | 'broker' | 'logger'>,
  { deletions, waitMs }: Deps,
) {
  const { mongo, outbox, broker, logger } = parts;
  const eraser = createAccountEraser(
    parts,
    (tx, { account_id, removed, at }) => deletions.receive(tx, account_id, 'gateway', { at: new Date(at), removed }),
    waitMs,
  );

  const request = ({ accountId }: AccountDeletion) =>
    mongo.transaction({ correlationId: accountId, causationId: null }, async (tx) => {
      if (await deletions.markRequested(tx, accountId)) await outbox.add(tx, AccountErased, accountId, { account_id: accountId });
    });

  /** The request to erase stays in its stream: a restored backup must repeat it. It has only the id. */
  async function clearStreams({ accountId }: AccountDeletion) {
    const mentions = (subject: string, payload: string) => payload.includes(accountId) && !subject.endsWith(AccountErased.subject);
    for (const stream of Object.values(streams)) await broker.eraseFrom(stream, mentions);
  }

  async function advance(deletion: AccountDeletion): Promise<'completed' | 'waiting'> {
    const { accountId, erasureRequestedAt, receipts } = deletion;
    if (!accountErasingServices.every((service) => receipts[service])) {
      if (erasureRequestedAt === null || Date.now() - erasureRequestedAt.getTime() > requestAgainMs) await request(deletion);
      return 'waiting';
    }
    if (!receipts.gateway) {
      await mongo.transaction({ correlationId: accountId, causationId: null }, (tx) => eraser.request(tx, accountId));
      return 'waiting';
    }
    if (!broker.ready()) return 'waiting';
    await clearStreams(deletion);
    await deletions.complete(accountId);
    logger.info({ account: accountId }, 'account erased');
    return 'completed';
  }

  const runner = createRunner({
    logger,
    warning: 'deleting an account failed; retrying',
    async work() {
      const deletion = await deletions.claim();
      if (!deletion) return false;
      if ((await advance(deletion)) === 'waiting') await deletions.postpone(deletion.accountId, lookAgainMs);
      return true;
    },
  });

  return [runner, { start: eraser.start, stop: eraser.stop }];
}
