import { didYouMean } from '@mp/contracts/nearest';
import type { FieldRead } from './liquid.ts';

/** What previews and tests show instead of a code, so that they use none up. */
export const placeholderCode = 'COUPON-CODE';

/** The coupon that a read names; undefined for a read of something else. */
export const couponOf = ([root, name]: readonly unknown[]): string | undefined =>
  root === 'coupon' && typeof name === 'string' ? name : undefined;

/** The coupons that templates read, each once. */
export const couponsOf = (reads: readonly FieldRead[]): string[] => [...new Set(reads.flatMap(({ segments }) => couponOf(segments) ?? []))];

/** Whether the templates can read a coupon, without parsing them. */
export const mayReadCoupons = (sources: readonly (string | null)[]): boolean => sources.some((source) => source?.includes('coupon'));

/** What templates read as `coupon`. An email reads one coupon at most, so one code is enough. */
export const couponScope = (reads: readonly FieldRead[], code = placeholderCode): Record<string, string> =>
  Object.fromEntries(couponsOf(reads).map((name) => [name, code]));

/** Why a template cannot read this coupon of the account; undefined if it can. */
export function couponFault(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  return `No coupon has the name ${JSON.stringify(name)}.${didYouMean(name, known)} Create it with POST /v2/campaigns/coupons.`;
}
