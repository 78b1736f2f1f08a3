import type { Loose } from './loose-values.ts';

/** Events of Segment's ecommerce specification that name a sum which is not, or not yet, revenue. */
const withoutRevenue = new Set(['Checkout Started', 'Order Updated', 'Order Refunded', 'Order Cancelled']);

const maxAmount = 1e9;

/**
 * The revenue of an event: its `revenue`, or the `total` of a completed order without one, in its `currency`, which Segment takes for
 * US dollars if it is missing.
 */
export function revenueOf(event: string, { revenue, total, currency }: Loose): { amount: number; currency: string } | undefined {
  if (withoutRevenue.has(event)) return undefined;
  const amount = amountOf(revenue) ?? (event === 'Order Completed' ? amountOf(total) : undefined);
  const code = typeof currency === 'string' ? currency.trim().toUpperCase() : 'USD';
  return amount === undefined || !/^[A-Z]{3}$/.test(code) ? undefined : { amount, currency: code };
}

function amountOf(given: unknown): number | undefined {
  const amount = typeof given === 'string' ? Number(given.trim().replace(/^\$/, '') || Number.NaN) : given;
  return typeof amount === 'number' && Math.abs(amount) <= maxAmount ? Number(amount.toFixed(4)) : undefined;
}
