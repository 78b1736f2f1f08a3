type Event = { value: { amount: number; currency: string } | null };

export type Orders = { count: number; revenue: { amount: number; currency: string }[] };

/** The events with a value, such as orders, and their sums by currency, the largest first. */
export function ordersOf(events: readonly Event[]): Orders {
  const values = events.flatMap(({ value }) => (value ? [value] : []));
  const sums = new Map<string, number>();
  for (const { amount, currency } of values) sums.set(currency, (sums.get(currency) ?? 0) + Math.round(amount * 10_000));
  const revenue = [...sums].map(([currency, sum]) => ({ currency, amount: sum / 10_000 })).toSorted((a, b) => b.amount - a.amount);
  return { count: values.length, revenue };
}
