import type { Retry } from './outcome-of.ts';

/** How long things may take. Tests are less patient. */
export type Pace = {
  /** One message at the mail server. */
  deliveryMs: number;
  /** A claim on rows of which nothing has left yet. Short: when it ends they are sent by whoever lives. */
  claimMs: number;
  /** A row that is at the mail server: more than four deliveries, so that no living worker outlives its lease. */
  leaseMs: number;
  /** One page of an audience on its way into the ledger. */
  freezeLeaseMs: number;
  /** How often rows of lost workers are looked for. */
  reapEveryMs: number;
  /** A dry run; well before the gateway stops waiting for its answer. */
  dryRunMs: number;
  retry: Retry;
};

export const defaultPace: Pace = {
  deliveryMs: 30_000,
  claimMs: 30_000,
  leaseMs: 150_000,
  freezeLeaseMs: 30_000,
  reapEveryMs: 1_000,
  dryRunMs: 10_000,
  retry: { firstMs: 30_000, mostMs: 3_600_000, attempts: 12 },
};
