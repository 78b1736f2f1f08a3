import { z } from 'zod';

/** A quotient with its parts; `value` is null if the denominator is zero. */
export const Quotient = z.object({
  value: z.number().nullable().describe('The quotient; null if the denominator is zero.'),
  numerator: z.number().describe('The dividend.'),
  denominator: z.number().int().describe('The divisor.'),
});

export const quotient = (numerator: number, denominator: number) => ({
  value: denominator === 0 ? null : Math.round((numerator / denominator) * 1e6) / 1e6,
  numerator,
  denominator,
});
