import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortBuyers, totalOf } from './sort-buyers.ts';

const buyer = (address: string, conversions: number, ...revenue: { amount: number; currency: string }[]) => ({
  address,
  conversions,
  revenue,
});
const eur = (amount: number) => ({ amount, currency: 'EUR' });

test('buyers are sorted by address, orders, or the revenue in the currency that most of them paid in', () => {
  const buyers = [
    buyer('b@x', 3, eur(30), { amount: 1, currency: 'USD' }),
    buyer('a@x', 1, eur(100)),
    buyer('c@x', 9, { amount: 500, currency: 'USD' }),
    buyer('d@x', 2, eur(5)),
  ];
  const order = (sort: string) =>
    sortBuyers(buyers, sort)
      .map(({ address }) => address[0])
      .join('');
  assert.deepEqual(['-revenue', 'revenue', '-conversions', 'address'].map(order), ['abdc', 'cdba', 'cbda', 'abcd']);
});

test('the total of buyers adds orders, and revenue by currency to the cent', () => {
  assert.deepEqual(totalOf([buyer('a@x', 2, eur(0.1)), buyer('b@x', 1, eur(0.2), { amount: 3, currency: 'USD' })]), {
    conversions: 3,
    revenue: [eur(0.3), { amount: 3, currency: 'USD' }],
  });
});
