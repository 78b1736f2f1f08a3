import { booleanIn, countryIn, type DateOrder, dateOrders, dayIn } from '@mp/contracts/import-cells';
import type { AttributeType } from './column-mapping.ts';

/** What the values of a column look like. */
export type ValueGuess = { kind: 'email' | 'phone' | 'country' } | { kind: 'attribute'; type: AttributeType; order?: DateOrder };

const email = /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]{2,}$/;
const phone = /^\+\d[\d\s()./-]{6,}\d$/;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const isoDay = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/;
/** The numbers 0 and 1 and single letters are no words: they may or may not mean yes and no. */
const isWord = (cell: string) => cell.trim().length > 1 || /[^\w\s]/.test(cell);

/** The orders in which all of these cells are dates; none if they are not dates, or are written as `2026-12-31`. */
export function ordersOf(cells: readonly string[]): DateOrder[] {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0 || filled.every((cell) => isoDay.test(cell.trim()))) return [];
  return dateOrders.filter((order) => filled.every((cell) => dayIn(cell, order) !== undefined));
}

/** What all filled cells of a column are; text if nothing fits, undefined if there are none. */
export function guessOf(cells: readonly string[]): ValueGuess | undefined {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  if (filled.length === 0) return undefined;
  const all = (test: (cell: string) => boolean) => filled.every(test);
  if (all((cell) => email.test(cell))) return { kind: 'email' };
  if (all((cell) => phone.test(cell))) return { kind: 'phone' };
  if (all((cell) => number.test(cell))) return { kind: 'attribute', type: 'number' };
  if (all((cell) => booleanIn(cell) !== undefined && isWord(cell))) return { kind: 'attribute', type: 'boolean' };
  if (all((cell) => isoDay.test(cell) && !Number.isNaN(Date.parse(cell)))) return { kind: 'attribute', type: 'date' };
  const [order] = ordersOf(filled);
  if (order) return { kind: 'attribute', type: 'date', order };
  // Codes alone could be anything, such as languages.
  if (all((cell) => countryIn(cell) !== undefined) && filled.some((cell) => cell.length > 3)) return { kind: 'country' };
  return { kind: 'attribute', type: 'string' };
}
