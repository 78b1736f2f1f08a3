import type { Claimed } from '../../ledger/recipients/claimed-row.ts';
import { domainWaitFrom } from '../../ledger/recipients/domain-wait.ts';
import type { Postponed } from '../../ledger/recipients/postponed-rows.ts';
import type { Outcome } from '../../ledger/recipients/recipients-queue.ts';

/**
 * What happens to an email whose domain is slow or rejects emails: it waits until then, or fails if it has waited for more
 * than `maxMs`.
 */
export function postponeForDomain(row: Claimed, until: Date, maxMs: number, now = new Date()): Postponed | Outcome {
  return now.getTime() - domainWaitFrom(row, now).getTime() > maxMs
    ? { row, state: 'failed', reason: 'domain_unavailable', detail: row.detail, at: now }
    : { row, until, reason: 'domain_unavailable' };
}
