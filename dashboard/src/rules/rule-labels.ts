import { fieldLabel } from '../contact-fields/field-labels.ts';
import { eventPhrase } from '../names/event-labels.ts';
import type { Rule } from '../segments/segments.ts';
import { durationLabel, spanLabel } from '../time/duration.ts';

/** One condition of a rule, not a group. */
export type Condition = Exclude<Rule, { all: Rule[] } | { any: Rule[] } | { not: Rule }>;

export const opLabels: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  between: 'is between',
  exists: 'has a value',
  missing: 'has no value',
  in_last: 'was in the last',
  not_in_last: 'was not in the last',
  in_next: 'is in the next',
  before: 'was before',
  after: 'was after',
  on: 'was on',
  anniversary: 'has its anniversary',
};

export const valueLabel = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(valueLabel).join(', ');
  return typeof value === 'string' ? `“${value}”` : String(value);
};

/** "3 times", "once". */
export const times = (amount: number) => (amount === 1 ? 'once' : `${amount} times`);

export const timesLabel = (count: { gte?: number; lte?: number; eq?: number } | undefined): string => {
  const { gte, lte, eq } = count ?? {};
  if (eq === 0) return '0 times';
  if (eq !== undefined) return `exactly ${times(eq)}`;
  const parts = [gte !== undefined && `at least ${times(gte)}`, lte !== undefined && `at most ${times(lte)}`].filter(Boolean);
  return parts.length > 0 ? parts.join(' and ') : 'at least once';
};

/** A condition in words; `named` returns the name of a segment or campaign. */
export function conditionLabel(condition: Condition, named: (id: string) => string = (id) => id): string {
  if ('field' in condition) {
    const op = condition.field === 'tags' && condition.op === 'contains' ? 'have' : opLabels[condition.op];
    return [fieldLabel(condition.field), op, 'value' in condition ? valueLabel(condition.value) : ''].join(' ').trim();
  }
  if ('date' in condition) {
    const value = 'value' in condition ? (/_(?:last|next)$/.test(condition.op) ? spanLabel(condition.value) : condition.value) : '';
    const ahead = 'within' in condition && condition.within ? ` within ${durationLabel(condition.within)}` : '';
    return [fieldLabel(condition.date), opLabels[condition.op], value].join(' ').trim() + ahead;
  }
  if ('segment' in condition) return `${condition.op === 'not_in' ? 'Is not' : 'Is'} in the segment ${named(condition.segment)}`;
  const within = condition.in_last ? ` in the last ${spanLabel(condition.in_last)}` : '';
  if ('campaign' in condition) {
    const which = condition.campaign === 'any' ? 'any campaign' : named(condition.campaign);
    return `${which}: ${condition.activity} ${timesLabel(condition.count)}${within}`.replace(/^a/, 'A');
  }
  if ('form' in condition) {
    const which = condition.form === 'any' ? 'any form' : named(condition.form);
    return `${condition.activity === 'submitted' ? 'Submitted' : 'Confirmed'} ${which} ${timesLabel(condition.count)}${within}`;
  }
  if ('sequence' in condition) {
    const steps = condition.sequence.map(
      ({ where, ...step }) => ('event' in step ? eventPhrase(step.event) : `not ${eventPhrase(step.not_event)}`) + whereLabel(where),
    );
    return `Did ${steps.join(', then ')} within ${durationLabel(condition.within)}${within && `,${within}`}`;
  }
  return `Did ${eventPhrase(condition.event)}${aggregateLabel(condition) ?? ` ${timesLabel(condition.count)}`}${whereLabel(condition.where)}${within}`;
}

const whereLabel = (where: Readonly<Record<string, unknown>> | undefined): string => {
  const tests = Object.entries(where ?? {}).map(([name, test]) => `${name.replace(/^properties\./, '')} ${testLabel(test)}`);
  return tests.length > 0 ? ` with ${tests.join(' and ')}` : '';
};

const aggregates = [
  ['sum', 'a total'],
  ['avg', 'an average'],
  ['min', 'a lowest'],
  ['max', 'a highest'],
] as const;

/** What a condition tests instead of the number of events; undefined if it tests that. */
function aggregateLabel(condition: Extract<Condition, { event: string }>): string | undefined {
  for (const [name, word] of aggregates) {
    const { of = '', currency, ...bounds } = condition[name] ?? {};
    if (of) return `, and ${word} ${of.replace(/^properties\./, '')}${currency ? ` in ${currency}` : ''} ${testLabel(bounds)}`;
  }
  for (const name of ['first', 'last'] as const) {
    const test = condition[name];
    if (!test) continue;
    const value = 'value' in test ? (/_last$/.test(test.op) ? spanLabel(test.value) : test.value) : '';
    return `, and the ${name} time ${opLabels[test.op]} ${value}`.trimEnd();
  }
  return undefined;
}

function testLabel(test: unknown): string {
  if (typeof test !== 'object' || test === null) return `is ${valueLabel(test)}`;
  return Object.entries(test)
    .map(([op, value]) => `${opLabels[op] ?? op} ${valueLabel(value)}`)
    .join(' and ');
}
