import type { DesignNode } from './design.ts';
import { quoted } from './liquid-text.ts';

export const operators = { is: 'is', is_not: 'is not', is_set: 'has a value', is_empty: 'has no value' } as const;
export type Operator = keyof typeof operators;

/** What a contact must meet to see a block. Numbers and booleans are compared as such. */
export type Condition = { field: string; op: Operator; value: string | number | boolean };

const fieldPath = /^contact\.[\w.]+$|^contact\.attributes\['[^'{}%]+'\]$/;

export const isOperator = (op: unknown): op is Operator => typeof op === 'string' && Object.hasOwn(operators, op);

/** The condition of a block; undefined if it is always shown. */
export function conditionOf({ attrs }: Pick<DesignNode, 'attrs'>): Condition | undefined {
  const condition = attrs?.condition;
  if (typeof condition !== 'object' || condition === null || !('field' in condition && 'op' in condition && 'value' in condition))
    return undefined;
  const { field, op, value } = condition;
  if (typeof field !== 'string' || !fieldPath.test(field) || !isOperator(op)) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? { field, op, value } : undefined;
}

/** Braces and angle brackets would end the tag, or the HTML around it. */
const literal = (value: Condition['value']) => (typeof value === 'string' ? quoted(value.replace(/[{}%<>]/g, '').trim()) : String(value));

function liquidOf({ field, op, value }: Condition): string {
  if (op === 'is_set') return field;
  if (op === 'is_empty') return `${field} == nil`;
  return `${field} ${op === 'is' ? '==' : '!='} ${literal(value)}`;
}

/** A part of an email for only those contacts that meet the condition of its block. */
export function shownIf(node: DesignNode, part: string): string {
  const condition = conditionOf(node);
  return condition && part !== '' ? `{% if ${liquidOf(condition)} %}${part}{% endif %}` : part;
}

/** The condition as the canvas names it. */
export function conditionLabel({ op, value }: Condition, label: string): string {
  const compared = op === 'is' || op === 'is_not' ? ` ${value === '' ? '…' : value}` : '';
  return `Only if ${label} ${operators[op]}${compared}`;
}
