import { z } from 'zod';
import { amountUnit, type Conversions } from '../counters/contribution.ts';

export const Revenue = z
  .array(z.object({ currency: z.string().describe('The currency.'), amount: z.number().describe('The sum of the values.') }))
  .describe('The values of the conversions, by currency.');
export type Revenue = z.output<typeof Revenue>;

/** The sums of stored amounts, in the order of their currencies. */
export const revenueOf = ({ revenue = {} }: Pick<Conversions, 'revenue'>): Revenue =>
  Object.entries(revenue)
    .map(([currency, amount]) => ({ currency, amount: amount / amountUnit }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
