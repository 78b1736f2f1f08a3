import { ApiError } from '@mp/contracts/errors';
import type { Background } from './runner.ts';

/** Marks background work that sends data out of the platform, or that must wait until a restore is complete. */
export const outward = (part: Background): Background => ({ ...part, outward: true });

/** The background work that a service starts. */
export const startable = (background: readonly Background[], maintenance: boolean): Background[] =>
  background.filter((part) => !(maintenance && part.outward));

/** Throws SERVICE_UNAVAILABLE in MAINTENANCE mode, for requests by which something would leave the platform. */
export function requireNoMaintenance(maintenance: boolean) {
  if (maintenance)
    throw new ApiError('SERVICE_UNAVAILABLE', 'Nothing leaves the platform during maintenance; try again later.', { retryAfter: 60 });
}
