import { ApiError, type ErrorCode } from '@mp/contracts/errors';
import type { Route } from '../routes/route.ts';
import type { Charged } from './charge-quota.ts';
import { chargeQuota, type QuotaParts } from './charge-quota.ts';
import { type BurstParts, type Limited, takeBurst } from './rate-limit.ts';

export type ChargeParts = BurstParts & QuotaParts;

/** Charges a request that a service received: once to the burst limit, and to the daily quota as often as it says. */
export async function chargeTogether(
  limited: Limited,
  { credential, route, requests }: { credential: Charged; route: Pick<Route, 'path' | 'scope'>; requests: number },
  parts: ChargeParts,
) {
  const { remaining, leave } = takeBurst(limited, credential.account, parts);
  leave();
  for (let charged = 0; charged < requests; charged += 1) await chargeQuota(limited, { credential, route, remaining }, parts);
}

/** The error with one of these codes that the work throws, in the form of a reply; null if it throws none. */
export async function refusalOf<Code extends ErrorCode>(codes: readonly Code[], work: () => Promise<void>) {
  try {
    await work();
    return null;
  } catch (error) {
    const code = error instanceof ApiError ? codes.find((one) => one === error.code) : undefined;
    if (!(error instanceof ApiError) || code === undefined) throw error;
    const { message, retryAfter: retry_after = 1, details = [] } = error;
    return { code, message, retry_after, details: [...details] };
  }
}

export const headersOf = ({ headers }: Limited) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
