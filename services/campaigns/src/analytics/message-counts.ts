import type { Counts as Counters } from '../ledger/counters/contribution.ts';
import { Counts, countsOf, ratesOf } from './counts-and-rates.ts';

/** The counts of emails that belong to no audience, so that only those count that were sent or will not be. */
export const MessageCounts = Counts.omit({ recipients: true, waiting: true, late: true, lateness_seconds: true }).meta({
  id: 'MessageCounts',
});

/** The counts and rates of the same definitions as in the report of a campaign. */
export function countedMessages(counters: Counters, asOf: Date) {
  const counts = countsOf(counters, 0);
  return { counts: MessageCounts.parse(counts), rates: ratesOf(counts, asOf) };
}
