import type { Retry } from './retry-deferred.ts';

/** Timeouts, leases and intervals. Tests use shorter ones. */
export type Timings = {
  /** The timeout for sending one email to the mail server. */
  deliveryMs: number;
  /** A claim on rows that are not being sent yet. Short, so that another worker soon sends the rows of a lost one. */
  claimMs: number;
  /** The lease of a row in `sending`: more than four delivery timeouts, so that no live worker outlives its lease. */
  leaseMs: number;
  /** The lease for writing one page of an audience into the ledger. */
  freezeLeaseMs: number;
  /** How often rows of lost workers are searched for. */
  reapEveryMs: number;
  /** How often scheduled campaigns are checked. */
  checkEveryMs: number;
  /** The time limit of a dry run, well below the gateway's timeout for the response. */
  dryRunMs: number;
  /** Begins with a minute, so that an email that is greylisted for five is accepted within eight. */
  retry: Retry;
  /** How long a receiving domain rests after it rejected emails temporarily: `firstMs`, then twice as long each time. */
  domainRest: { firstMs: number; maxMs: number };
  /** A receiving domain is slow while an email has waited this long for a response. */
  slowDomainMs: number;
  /** How long an email waits for such a domain before it fails (RFC 5321, section 4.5.4.1: at least 4 to 5 days). */
  maxDomainWaitMs: number;
};

export const defaultTimings: Timings = {
  deliveryMs: 30_000,
  claimMs: 30_000,
  leaseMs: 150_000,
  freezeLeaseMs: 30_000,
  reapEveryMs: 1_000,
  checkEveryMs: 60_000,
  dryRunMs: 10_000,
  retry: { firstMs: 60_000, maxMs: 3_600_000, attempts: 12 },
  domainRest: { firstMs: 10_000, maxMs: 900_000 },
  slowDomainMs: 2_000,
  maxDomainWaitMs: 5 * 86_400_000,
};
