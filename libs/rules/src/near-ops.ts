import { didYouMean, nearest, unlikeness } from '@mp/contracts/nearest';

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
  const name = op.trim().toLowerCase();
  return hint(otherNames[name], ops) || didYouMean(op, ops) || hint(similarOther(name), ops);
}

const hint = (meant: string | undefined, ops: readonly string[]) =>
  meant !== undefined && ops.includes(meant) ? ` Did you mean "${meant}"?` : '';

/** The op of a misspelt name of another language, such as `equls`. */
function similarOther(name: string): string | undefined {
  const known = nearest(name, Object.keys(otherNames));
  return known !== undefined && unlikeness(name, known) !== undefined ? otherNames[known] : undefined;
}
