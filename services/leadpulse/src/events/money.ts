import { z } from 'zod';

export const Money = z.object({
  amount: z.number().describe('The amount in units of the currency.'),
  currency: z.string().describe('The ISO 4217 code of the currency.'),
});

/** Converts sums from ten-thousandths to the amounts that the API returns, one per currency. */
export const amountsOf = (values: Record<string, number>): z.output<typeof Money>[] =>
  Object.entries(values)
    .filter(([, units]) => units !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, units]) => ({ amount: units / 10_000, currency }));

/** Adds sums by currency. */
export function sumOf(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sum = { ...a };
  for (const [currency, units] of Object.entries(b)) sum[currency] = (sum[currency] ?? 0) + units;
  return sum;
}
