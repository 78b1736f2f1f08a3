import { z } from 'zod';

/** The conversions attributed to one email; amounts are in 1/10,000 of the currency, so that sums are exact. */
export type Conversions = { count: number; revenue?: Readonly<Record<string, number>> };

export const amountUnit = 10_000;

export const Revenue = z
  .array(z.object({ currency: z.string().describe('The currency.'), amount: z.number().describe('The sum of the values.') }))
  .describe('The values of the conversions, by currency.');
export type Revenue = z.output<typeof Revenue>;

/** The sums of stored amounts, in the order of their currencies. */
export const revenueOf = ({ revenue = {} }: Pick<Conversions, 'revenue'>): Revenue =>
  Object.entries(revenue)
    .map(([currency, amount]) => ({ currency, amount: amount / amountUnit }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
