import { didYouMean } from '@mp/contracts/nearest';

/** Ops as other languages call them. */
const otherNames: Readonly<Record<string, string>> = {
  '=': 'eq',
  '==': 'eq',
  is: 'eq',
  equals: 'eq',
  '!=': 'ne',
  neq: 'ne',
  is_not: 'ne',
  not_equals: 'ne',
  '>': 'gt',
  greater_than: 'gt',
  '>=': 'gte',
  '<': 'lt',
  less_than: 'lt',
  '<=': 'lte',
  like: 'contains',
  includes: 'contains',
  one_of: 'in',
  is_set: 'exists',
  not_exists: 'missing',
  is_empty: 'missing',
  within: 'in_last',
};

/** ` Did you mean "eq"?` for an op that is not one of these; an empty text if none is similar. */
export function nearOp(op: unknown, ops: readonly string[]): string {
  if (typeof op !== 'string') return '';
  const other = otherNames[op.trim().toLowerCase()];
  return other !== undefined && ops.includes(other) ? ` Did you mean "${other}"?` : didYouMean(op, ops);
}
