import type { Recipient } from './campaigns.ts';

export type Buyer = Pick<Recipient, 'id' | 'contact_id' | 'address' | 'coupon_code' | 'conversions' | 'revenue'>;

/** The revenue by which buyers are compared: of the currency that most of them paid in. */
function mainCurrency(buyers: readonly Pick<Buyer, 'revenue'>[]): string | undefined {
  const paid = Map.groupBy(
    buyers.flatMap(({ revenue }) => revenue),
    ({ currency }) => currency,
  );
  return [...paid].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

/** Buyers in this order; `-revenue` puts the highest revenue first. Equal ones keep their order. */
export function sortBuyers<Row extends Pick<Buyer, 'address' | 'conversions' | 'revenue'>>(buyers: readonly Row[], sort: string): Row[] {
  const currency = mainCurrency(buyers);
  const amount = ({ revenue }: Row) => revenue.find((one) => one.currency === currency)?.amount ?? 0;
  const by = sort.replace(/^-/, '');
  const compare = (a: Row, b: Row) => {
    if (by === 'address') return (a.address ?? '').localeCompare(b.address ?? '');
    return by === 'conversions' ? a.conversions - b.conversions : amount(a) - amount(b);
  };
  return buyers.toSorted((a, b) => (sort.startsWith('-') ? compare(b, a) : compare(a, b)));
}

/** What all buyers ordered together. Amounts are counted in ten-thousandths, so that cents add up. */
export function totalOf(buyers: readonly Pick<Buyer, 'conversions' | 'revenue'>[]): Pick<Buyer, 'conversions' | 'revenue'> {
  const sums = new Map<string, number>();
  for (const { amount, currency } of buyers.flatMap(({ revenue }) => revenue))
    sums.set(currency, (sums.get(currency) ?? 0) + Math.round(amount * 10_000));
  return {
    conversions: buyers.reduce((sum, { conversions }) => sum + conversions, 0),
    revenue: [...sums].map(([currency, sum]) => ({ currency, amount: sum / 10_000 })),
  };
}
