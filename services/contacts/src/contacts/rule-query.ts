import { emailKey } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { spanOf } from '@mp/rules/calendar';
import { windowMs } from '@mp/rules/duration';
import { fullFieldName } from '@mp/rules/fields';
import type { Leaf, Rule } from '@mp/rules/rule';
import { fold } from '@mp/rules/text';
import type { Filter } from 'mongodb';
import { attributePair, type ContactDocument } from './contact-document.ts';
import type { contactIndexes } from './contact-filters.ts';

type Where = Filter<ContactDocument>;

/** The MongoDB query for a rule. It finds at least all matches; the rule is then evaluated on each contact found. */
export type RuleQuery = { index: keyof typeof contactIndexes; where: Where };

/** A condition that an index can serve. The fewer contacts it is expected to find, the lower its rank. */
type Indexed = { index: RuleQuery['index']; where: Where; rank: number };

/** Picks, from the conditions that must all hold, the index expected to find the fewest; the others narrow its result. */
export function ruleQuery(rule: Rule, now: Date): RuleQuery {
  const indexed = necessary(rule).flatMap((leaf) => indexedBy(leaf, now) ?? []);
  const [best] = indexed.toSorted((a, b) => a.rank - b.rank);
  return { index: best?.index ?? 'created_at', where: indexed.length > 0 ? { $and: indexed.map(({ where }) => where) } : {} };
}

/** Throws VALIDATION_ERROR if the rule uses more than fields of the contact. */
export function checkSearchable(rule: Rule, path = '/rule') {
  if ('all' in rule || 'any' in rule) {
    const [kind, parts] = 'all' in rule ? ['all', rule.all] : ['any', rule.any];
    for (const [index, part] of parts.entries()) checkSearchable(part, `${path}/${kind}/${index}`);
  } else if ('not' in rule) checkSearchable(rule.not, `${path}/not`);
  else if (!('field' in rule) && !('date' in rule))
    throw invalid(
      path,
      'not_searchable',
      'A search can only use contact fields; create a segment to use events, campaigns or other segments.',
    );
}

/** Empty activities and segments: a searchable rule does not use them. */
export const contactAlone = { activities: () => [], segments: new Set<string>() };

/** The conditions that every match must satisfy. */
function necessary(rule: Rule): Leaf[] {
  if ('all' in rule) return rule.all.flatMap(necessary);
  if ('any' in rule) return rule.any.length === 1 && rule.any[0] ? necessary(rule.any[0]) : [];
  return 'not' in rule ? [] : [rule];
}

function indexedBy(leaf: Leaf, now: Date): Indexed | undefined {
  if ('date' in leaf) return byDate(leaf, now);
  if (!('field' in leaf)) return undefined;
  const field = fullFieldName(leaf.field);
  const values = leaf.op === 'eq' || leaf.op === 'contains' ? [leaf.value] : leaf.op === 'in' ? leaf.value : undefined;
  const oneOf = <Value>(of: (value: string | number | boolean) => Value) => ({ $in: [...new Set(values?.map(of))] });
  if (field === 'created_at') return byCreation(leaf);
  if (field.startsWith('attributes.')) {
    const key = field.slice('attributes.'.length);
    if (leaf.op === 'exists') return { index: 'attributes', where: { attribute_pairs: key }, rank: 6 };
    // The index has whole values, so it cannot find the part of a text that `contains` looks for.
    if (!values || leaf.op === 'contains') return undefined;
    // A date can be written in many ways, but the index has only one of them.
    if (values.some((value) => spanOf(String(value), 'UTC'))) return { index: 'attributes', where: { attribute_pairs: key }, rank: 6 };
    return { index: 'attributes', where: { attribute_pairs: oneOf((value) => attributePair(key, value)) }, rank: 3 };
  }
  if (!values) return undefined;
  if (field === 'tags') return { index: 'tag', where: { tag_keys: oneOf((value) => fold(String(value))) }, rank: 4 };
  // The indexes of addresses and phone numbers do not contain empty values.
  if (leaf.op === 'contains' || values.some((value) => String(value).trim() === '')) return undefined;
  if (field === 'email') return { index: 'email', where: { email_key: oneOf((value) => emailKey(String(value))) }, rank: 1 };
  if (field === 'phone') return { index: 'phone', where: { phone: oneOf(String) }, rank: 1 };
  if (field === 'status') return { index: 'status', where: { status: oneOf((value) => fold(String(value))) as never }, rank: 5 };
  return undefined;
}

const onCreation = (bounds: { $gte?: Date; $lt?: Date }): Indexed => ({ index: 'created_at', where: { created_at: bounds }, rank: 7 });

function byCreation(leaf: Extract<Leaf, { field: string }>): Indexed | undefined {
  if (!('value' in leaf)) return undefined;
  const [low, high] = [leaf.value].flat();
  const zone = leaf.timezone ?? 'UTC';
  const [from, to] = [spanOf(String(low), zone), spanOf(String(high ?? low), zone)];
  if (!from || !to) return undefined;
  if (leaf.op === 'gt' || leaf.op === 'gte') return onCreation({ $gte: new Date(from.start) });
  if (leaf.op === 'lt' || leaf.op === 'lte') return onCreation({ $lt: new Date(from.end) });
  if (leaf.op === 'eq' || leaf.op === 'between') return onCreation({ $gte: new Date(from.start), $lt: new Date(to.end) });
  return undefined;
}

function byDate(leaf: Extract<Leaf, { date: string }>, now: Date): Indexed | undefined {
  if (leaf.date !== 'created_at') return undefined;
  if (leaf.op === 'in_last') return onCreation({ $gte: new Date(now.getTime() - windowMs(leaf.value)) });
  if (leaf.op !== 'before' && leaf.op !== 'after' && leaf.op !== 'on') return undefined;
  if (leaf.value === 'now') return undefined;
  const span = spanOf(leaf.value, leaf.timezone ?? 'UTC');
  if (!span) return undefined;
  if (leaf.op === 'before') return onCreation({ $lt: new Date(span.start) });
  return onCreation(leaf.op === 'on' ? { $gte: new Date(span.start), $lt: new Date(span.end) } : { $gte: new Date(span.end) });
}
