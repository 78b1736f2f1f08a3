import type { Logger } from '@mp/service-kit/logger';
import { createRunner } from '@mp/service-kit/runner';
import type { RecipientsQueue } from '../ledger/recipients/recipients-queue.ts';
import type { SettingsStore } from './settings-store.ts';

type Deps = {
  settings: Pick<SettingsStore, 'claimChanged' | 'recheck'>;
  queue: Pick<RecipientsQueue, 'recheckWaiting'>;
  /** How long a worker that has read the earlier settings can still hold emails because of them. */
  maxClaimedMs: number;
  /** Called when emails may have become due, and when their lanes may have opened. */
  onDue: () => void;
  logger: Pick<Logger, 'warn' | 'info'>;
};

const leaseMs = 10_000;
const lookEveryMs = 1_000;
const atOnce = 500;

/**
 * Makes the emails that wait because of an account's earlier settings due again, so that they are decided by the current ones. In
 * small batches, with accounts taking turns, and until no worker can hold further ones by the earlier settings.
 */
export const createRecheckWaiting = ({ settings, queue, maxClaimedMs, onDue, logger }: Deps) =>
  createRunner({
    logger,
    warning: 'looking for emails that wait because of earlier settings failed; retrying',
    lookEveryMs,
    async work() {
      const changed = await settings.claimChanged(leaseMs);
      if (!changed) return false;
      const found = await queue.recheckWaiting(changed.accountId, changed.revision, atOnce);
      onDue();
      const now = Date.now();
      if (found === atOnce) await settings.recheck(changed, new Date(now));
      else await settings.recheck(changed, now < changed.changedAt.getTime() + maxClaimedMs ? new Date(now + lookEveryMs) : undefined);
      return true;
    },
  });
