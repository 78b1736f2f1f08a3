import type { Rule } from '../segments/segments.ts';

/** One condition of a rule, not a group. */
export type Condition = Exclude<Rule, { all: Rule[] } | { any: Rule[] } | { not: Rule }>;

export const opWords: Readonly<Record<string, string>> = {
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

const fieldWords: Readonly<Record<string, string>> = {
  email: 'Email',
  phone: 'Phone',
  external_id: 'External ID',
  first_name: 'First name',
  last_name: 'Last name',
  company: 'Company',
  job_title: 'Job title',
  locale: 'Language',
  timezone: 'Time zone',
  'address.line1': 'Street',
  'address.line2': 'Address line 2',
  'address.city': 'City',
  'address.region': 'Region',
  'address.postal_code': 'Postal code',
  'address.country': 'Country',
  city: 'City',
  country: 'Country',
  tags: 'Tags',
  status: 'Status',
  source: 'Source',
  'consent.email': 'Email consent',
  'consent.sms': 'SMS consent',
  created_at: 'Date created',
  updated_at: 'Date updated',
  last_seen_at: 'Last seen',
};

export const fieldNames = Object.keys(fieldWords).filter((name) => name !== 'city' && name !== 'country');

export const fieldWord = (field: string) =>
  field.startsWith('attributes.') ? field.slice('attributes.'.length) : (fieldWords[field] ?? field);

const units: Readonly<Record<string, string>> = { W: 'week', D: 'day', H: 'hour', M: 'minute', S: 'second' };

/** An ISO 8601 duration in words: "30 days" for P30D. A duration with several units is returned unchanged. */
export function windowWords(text: string): string {
  const [, amount, unit] = /^P(?:T(?=\d+[HMS]$))?(\d+)([WDHMS])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return text;
  return `${amount} ${units[unit]}${amount === '1' ? '' : 's'}`;
}

/** A duration after "the last" or "the next": "30 days", or "day" for one. */
export const spanWords = (text: string) => windowWords(text).replace(/^1 /, '');

const valueWords = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  return typeof value === 'string' ? `“${value}”` : String(value);
};

/** "3 times", "once". */
export const times = (amount: number) => (amount === 1 ? 'once' : `${amount} times`);

export const timesWords = (count: { gte?: number; lte?: number; eq?: number } | undefined): string => {
  const { gte, lte, eq } = count ?? {};
  if (eq === 0) return '0 times';
  if (eq !== undefined) return `exactly ${times(eq)}`;
  const parts = [gte !== undefined && `at least ${times(gte)}`, lte !== undefined && `at most ${times(lte)}`].filter(Boolean);
  return parts.length > 0 ? parts.join(' and ') : 'at least once';
};

/** A condition in words; `named` returns the name of a segment or campaign. */
export function conditionWords(condition: Condition, named: (id: string) => string = (id) => id): string {
  if ('field' in condition) {
    const op = condition.field === 'tags' && condition.op === 'contains' ? 'have' : opWords[condition.op];
    return [fieldWord(condition.field), op, 'value' in condition ? valueWords(condition.value) : ''].join(' ').trim();
  }
  if ('date' in condition) {
    const value = 'value' in condition ? (/_(?:last|next)$/.test(condition.op) ? spanWords(condition.value) : condition.value) : '';
    const ahead = 'within' in condition && condition.within ? ` within ${windowWords(condition.within)}` : '';
    return [fieldWord(condition.date), opWords[condition.op], value].join(' ').trim() + ahead;
  }
  if ('segment' in condition) return `${condition.op === 'not_in' ? 'Is not' : 'Is'} in the segment ${named(condition.segment)}`;
  const within = condition.in_last ? ` in the last ${spanWords(condition.in_last)}` : '';
  if ('campaign' in condition) {
    const which = condition.campaign === 'any' ? 'any campaign' : named(condition.campaign);
    return `${which}: ${condition.activity} ${timesWords(condition.count)}${within}`.replace(/^a/, 'A');
  }
  if ('sequence' in condition) {
    const steps = condition.sequence.map(
      ({ where, ...step }) => ('event' in step ? step.event : `not ${step.not_event}`) + whereWords(where),
    );
    return `Did ${steps.join(', then ')} within ${windowWords(condition.within)}${within && `,${within}`}`;
  }
  return `Did ${condition.event}${aggregateWords(condition) ?? ` ${timesWords(condition.count)}`}${whereWords(condition.where)}${within}`;
}

const whereWords = (where: Readonly<Record<string, unknown>> | undefined): string => {
  const tests = Object.entries(where ?? {}).map(([name, test]) => `${name.replace(/^properties\./, '')} ${testWords(test)}`);
  return tests.length > 0 ? ` with ${tests.join(' and ')}` : '';
};

const aggregates = [
  ['sum', 'a total'],
  ['avg', 'an average'],
  ['min', 'a lowest'],
  ['max', 'a highest'],
] as const;

/** What a condition tests instead of the number of events; undefined if it tests that. */
function aggregateWords(condition: Extract<Condition, { event: string }>): string | undefined {
  for (const [name, word] of aggregates) {
    const { of = '', currency, ...bounds } = condition[name] ?? {};
    if (of) return `, and ${word} ${of.replace(/^properties\./, '')}${currency ? ` in ${currency}` : ''} ${testWords(bounds)}`;
  }
  for (const name of ['first', 'last'] as const) {
    const test = condition[name];
    if (!test) continue;
    const value = 'value' in test ? (/_last$/.test(test.op) ? spanWords(test.value) : test.value) : '';
    return `, and the ${name} time ${opWords[test.op]} ${value}`.trimEnd();
  }
  return undefined;
}

function testWords(test: unknown): string {
  if (typeof test !== 'object' || test === null) return `is ${valueWords(test)}`;
  return Object.entries(test)
    .map(([op, value]) => `${opWords[op] ?? op} ${valueWords(value)}`)
    .join(' and ');
}
