import { opLabels, valueLabel } from '../rules/rule-labels.ts';
import { shortField } from './filter-draft.ts';
import type { Webhook } from './webhooks.ts';

type Filter = NonNullable<Webhook['filter']>;

/** A filter on one line: groups within groups are in parentheses. */
export function filterLabel(filter: Filter): string {
  const inside = (part: Filter) => ('all' in part || 'any' in part ? `(${filterLabel(part)})` : filterLabel(part));
  if ('all' in filter) return filter.all.map(inside).join(' and ');
  if ('any' in filter) return filter.any.map(inside).join(' or ');
  if ('not' in filter) return `not ${inside(filter.not)}`;
  return [shortField(filter.field), opLabels[filter.op] ?? filter.op, 'value' in filter ? valueLabel(filter.value) : ''].join(' ').trim();
}
