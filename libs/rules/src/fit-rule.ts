import { spanOf } from './calendar.ts';
import { attributePrefix } from './fields.ts';
import type { Leaf, Rule } from './rule.ts';

/** The type of an attribute, as the account declared it. */
export type AttributeType = 'string' | 'number' | 'boolean' | 'date' | 'string_list';

export type Misfit = { path: (string | number)[]; message: string };

type Scalar = string | number | boolean;
type Fitted = { leaf: Leaf } | { member: 'op' | 'value' | 'date'; message: string };

const described: Record<AttributeType, string> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  date: 'an ISO 8601 date',
  string_list: 'a list of text',
};

/** The ops that can never match a value of the type. */
const neverMatching: Record<AttributeType, readonly string[]> = {
  string: [],
  number: ['contains', 'not_contains', 'starts_with', 'ends_with'],
  boolean: ['contains', 'not_contains', 'starts_with', 'ends_with', 'gt', 'gte', 'lt', 'lte', 'between'],
  date: [],
  string_list: ['eq', 'ne', 'starts_with', 'ends_with', 'gt', 'gte', 'lt', 'lte', 'between'],
};

const textOps = new Set(['contains', 'not_contains', 'starts_with', 'ends_with']);

/** The keys of the attributes that a rule uses, without `attributes.`. */
export function attributeKeys(rule: Rule): string[] {
  if ('all' in rule) return [...new Set(rule.all.flatMap(attributeKeys))];
  if ('any' in rule) return [...new Set(rule.any.flatMap(attributeKeys))];
  if ('not' in rule) return attributeKeys(rule.not);
  const name = nameOf(rule);
  return name?.startsWith(attributePrefix) ? [name.slice(attributePrefix.length)] : [];
}

/**
 * Converts the values of a rule to the types of the account's attributes where that loses nothing: `10115` for a text becomes
 * `"10115"`. Values and ops that could never match are returned as misfits. Attributes without a type accept everything.
 */
export function fitRule(rule: Rule, types: ReadonlyMap<string, AttributeType>): { rule: Rule; misfits: Misfit[] } {
  const misfits: Misfit[] = [];
  const fit = (part: Rule, path: (string | number)[]): Rule => {
    if ('all' in part) return { all: part.all.map((inner, index) => fit(inner, [...path, 'all', index])) };
    if ('any' in part) return { any: part.any.map((inner, index) => fit(inner, [...path, 'any', index])) };
    if ('not' in part) return { not: fit(part.not, [...path, 'not']) };
    const type = types.get(attributeKeys(part)[0] ?? '');
    const fitted = type === undefined ? { leaf: part } : fitLeaf(part, type);
    if ('leaf' in fitted) return fitted.leaf;
    misfits.push({ path: [...path, fitted.member], message: fitted.message });
    return part;
  };
  return { rule: fit(rule, []), misfits };
}

const nameOf = (leaf: Leaf): string | undefined => ('field' in leaf ? leaf.field : 'date' in leaf ? leaf.date : undefined);

function fitLeaf(leaf: Leaf, type: AttributeType): Fitted {
  const holds = `${nameOf(leaf)} is ${described[type]} in this account`;
  if ('date' in leaf) return type === 'date' || type === 'string' ? { leaf } : { member: 'date', message: `${holds}, not a date.` };
  if (!('field' in leaf)) return { leaf };
  if (neverMatching[type].includes(leaf.op)) return { member: 'op', message: `${holds}, which "${leaf.op}" never matches.` };
  if (!('value' in leaf) || textOps.has(leaf.op)) return { leaf };

  const wrong = (value: unknown): Fitted => ({ member: 'value', message: `${holds}, but ${JSON.stringify(value)} is not.` });
  switch (leaf.op) {
    case 'eq':
    case 'ne': {
      const value = fitScalar(leaf.value, type);
      return value === undefined ? wrong(leaf.value) : { leaf: { ...leaf, value } };
    }
    case 'in':
    case 'not_in': {
      const values: Scalar[] = [];
      for (const each of leaf.value) {
        const value = fitScalar(each, type);
        if (value === undefined) return wrong(each);
        values.push(value);
      }
      return { leaf: { ...leaf, value: values } };
    }
    default: {
      // A text attribute may hold dates; numbers and dates are never equal.
      const bounds = [leaf.value].flat();
      const misfit = bounds.find((bound) => (typeof bound === 'number') !== (type === 'number'));
      return misfit === undefined ? { leaf } : wrong(misfit);
    }
  }
}

/** The value converted to the type; undefined when that would lose information. */
function fitScalar(value: Scalar, type: AttributeType): Scalar | undefined {
  switch (type) {
    case 'string':
    case 'string_list':
      return String(value);
    case 'number':
      if (typeof value !== 'string') return typeof value === 'number' ? value : undefined;
      return String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : undefined;
    case 'boolean':
      if (value === 'true' || value === 'false') return value === 'true';
      return typeof value === 'boolean' ? value : undefined;
    case 'date':
      return typeof value === 'string' && spanOf(value, 'UTC') !== undefined ? value : undefined;
  }
}
